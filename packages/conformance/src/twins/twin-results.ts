import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { type SiteTally, siteTallySchema } from "./twin-counts.ts";

/** A file with the outcomes of sites, one on each line, from which an interrupted run resumes. */
export class TwinResults {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Outcomes of completed sites. An incomplete last line is left out. */
  read(): SiteTally[] {
    if (!existsSync(this.#file)) {
      return [];
    }
    const lines = readFileSync(this.#file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => siteTallySchema.parse(JSON.parse(line)));
  }

  add(tally: SiteTally): void {
    appendFileSync(this.#file, `${JSON.stringify(tally)}\n`);
  }
}
