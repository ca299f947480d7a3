import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { type Column, type RatioColumn, renderTable } from "./table.ts";

/** The option of commands whose results are compared with the results of a saved run. */
export const keepOption = {
  keep: { text: "keep the figures as those that later runs stand beside" },
} as const;

/** Columns of the last saved run, which is committed in a file named after the command. */
interface LandedRun {
  /** The commit that was measured. */
  readonly commit: string;
  /** Load average over one minute at the end of the run. */
  readonly load: number;
  /** The options that affect the results. */
  readonly options: string;
  readonly columns: readonly Column[];
}

/** Saved runs, with which later runs are compared. They are committed together with the measured code. */
export class LandedRuns {
  readonly #folder: URL;

  /** @param folder URL that ends in a slash; created when the first run is saved */
  constructor(folder = new URL("../../landed/", import.meta.url)) {
    this.#folder = folder;
  }

  /**
   * A column of ratios for each of these columns that the saved run also has.
   * @param options the same text as for `keep`; a run with other options is not compared
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

  /** A line that names the run of the ratios, or the reason why there are no ratios. */
  line(command: string, options: string): string {
    const landed = this.#read(command);
    if (landed === undefined) {
      return "no run is kept: --keep has later ones print their ratios to this one\n";
    }
    return landed.options === options
      ? `beside the run kept at ${landed.commit}, load average ${landed.load.toFixed(1)} then\n`
      : `not beside the run kept at ${landed.commit}: its options were "${landed.options}", these are "${options}"\n`;
  }

  /** Saves these columns, which replace the columns of the previous run. */
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

/** The table of one command, with its columns to save. */
export interface LandedTable {
  /** Name of the command, which is also the name of the file. */
  readonly command: string;
  /** The options that affect the results. */
  readonly options: string;
  /** Columns of our programs; the columns of the peers follow. */
  readonly ours: number;
  /** True: our columns are saved and replace the columns of the previous run. */
  readonly keep: boolean;
}

/**
 * The table, with ratios to peers and then to the saved run.
 * @param columns our columns first
 * @param ratios columns of ratios to peers
 * @param runs the saved runs
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
