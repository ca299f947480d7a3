import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { type Column, type RatioColumn, renderTable } from "./table.ts";

/** The option of commands whose figures stand beside those of the run that was kept. */
export const keepOption = {
  keep: { text: "keep the figures as those that later runs stand beside" },
} as const;

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

  /** A line that says what the ratios are to, or why there are none. */
  line(command: string, options: string): string {
    const landed = this.#read(command);
    if (landed === undefined) {
      return "no run is kept: --keep has later ones print their ratios to this one\n";
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

/** A table of one command, and the part of it that is kept. */
export interface LandedTable {
  /** Names the file. */
  readonly command: string;
  /** The options that decide what is measured. */
  readonly options: string;
  /** How many of the columns are ours; they come first. */
  readonly ours: number;
  /** Keeps our columns in place of those of the run before. */
  readonly keep: boolean;
}

/**
 * The table with ratios to the run that was kept, after those to peers.
 * @param columns ours first
 * @param ratios to peers
 * @param runs those that are kept
 */
export function renderBesideLanded(
  { command, options, ours, keep }: LandedTable,
  columns: readonly Column[],
  ratios: readonly RatioColumn[] = [],
  runs = new LandedRuns(),
): string {
  const own = columns.slice(0, ours);
  const table = renderTable(columns, [...ratios, ...runs.ratios(command, options, own)]);
  const text = table + runs.line(command, options);
  if (keep) {
    runs.keep(command, options, loadavg()[0] ?? 0, own);
  }
  return text;
}

function currentCommit(): string {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd, encoding: "utf8" }).trim();
}
