import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Column, RatioColumn } from "./table.ts";

/** Columns of the last run that was kept with the code, in a file named after the command. */
interface LandedRun {
  /** The commit that was measured. */
  readonly commit: string;
  /** Load average of one minute at its end. */
  readonly load: number;
  /** The options that decide what is measured. */
  readonly options: string;
  readonly columns: readonly Column[];
}

/** Runs that later ones stand beside. They are committed with the code that was measured. */
export class LandedRuns {
  readonly #folder: URL;

  /** @param folder ends in a slash; made when the first run is kept */
  constructor(folder = new URL("../../landed/", import.meta.url)) {
    this.#folder = folder;
  }

  /**
   * A column of ratios for each of these columns that the kept run has too.
   * @param options as they were given to `keep`; a run with others is not compared
   */
  ratios(command: string, options: string, columns: readonly Column[]): RatioColumn[] {
    const landed = this.#read(command);
    if (landed === undefined || landed.options !== options) {
      return [];
    }
    return columns.flatMap((ours) => {
      const peer = landed.columns.find(({ title }) => title === ours.title);
      return peer === undefined ? [] : [{ title: `${ours.title} : ${landed.commit}`, ours, peer }];
    });
  }

  /** A line that says what the ratios are to; "" when no run is kept. */
  line(command: string, options: string): string {
    const landed = this.#read(command);
    if (landed === undefined) {
      return "";
    }
    return landed.options === options
      ? `beside the run kept at ${landed.commit}, load average ${landed.load.toFixed(1)} then\n`
      : `not beside the run kept at ${landed.commit}: its options were "${landed.options}", these are "${options}"\n`;
  }

  /** Keeps the columns in place of those of the run before. */
  keep(command: string, options: string, load: number, columns: readonly Column[]): void {
    const run: LandedRun = { commit: currentCommit(), load, options, columns };
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(this.#fileOf(command), `${JSON.stringify(run, null, 2)}\n`);
  }

  #fileOf(command: string): string {
    return fileURLToPath(new URL(`${command}.json`, this.#folder));
  }

  #read(command: string): LandedRun | undefined {
    let text: string;
    try {
      text = readFileSync(this.#fileOf(command), "utf8");
    } catch {
      return undefined;
    }
    return JSON.parse(text) as LandedRun;
  }
}

function currentCommit(): string {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd, encoding: "utf8" }).trim();
}
