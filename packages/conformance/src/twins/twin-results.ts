import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { type SiteTally, siteTallySchema } from "./twin-counts.ts";

/** Outcomes of sites, one line for each: an interrupted run resumes from this file. */
export class TwinResults {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Sites that are done. A last line that is not whole is left out. */
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
