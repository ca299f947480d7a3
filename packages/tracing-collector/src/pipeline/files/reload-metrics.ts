import { Counter, Gauge, type Registry } from "@prometheus-io/client";

/** Names and help texts of the metrics of one watched file. */
export interface ReloadMetricsOptions {
  /** Name of the counter of changed files, by `result`. */
  readonly reloads: string;
  /** Name of the gauge. */
  readonly upToDate: string;
  /** Contents of the file in the help texts: `quotas`. */
  readonly contents: string;
}

/** Metrics of a file that is read repeatedly. */
export class ReloadMetrics {
  readonly #reloads: Counter<"result">;
  readonly #upToDate: Gauge;

  /** The file has been read once, so the gauge begins with 1. */
  constructor({ reloads, upToDate, contents }: ReloadMetricsOptions, registry: Registry) {
    const registers = [registry];
    this.#reloads = new Counter({
      name: reloads,
      help: `Changed files of ${contents}, by result: used, or refused because of a mistake.`,
      labelNames: ["result"],
      registers,
    });
    this.#upToDate = new Gauge({
      name: upToDate,
      help: `1 when the ${contents} in use are those of the file; 0 when the file has a mistake or is gone, and older ${contents} are used.`,
      registers,
    });
    this.#upToDate.set(1);
  }

  /** Counts a file that was read again. */
  reloaded(result: "used" | "refused"): void {
    this.#reloads.inc({ result });
  }

  /** @param isUpToDate false: the file has a mistake or is missing, so the former contents are in use */
  setUpToDate(isUpToDate: boolean): void {
    this.#upToDate.set(isUpToDate ? 1 : 0);
  }
}
