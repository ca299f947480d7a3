import type { DataSourceType } from "./plugin-process.ts";

/** One request of Grafana to a data source: exactly one of `health`, `resource` and `query` is set. */
export interface GrafanaQuestion {
  readonly name: string;
  readonly of: DataSourceType;
  /** True for the check of *Save & test*. */
  readonly health?: true;
  /** A path that the query editor requests; `start` and `end` in it are seconds from the base of the corpus. */
  readonly resource?: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The channel of a streamed query. */
  readonly stream?: "search" | "metrics";
  /** True when Grafana sends no times, as for a trace by its id. */
  readonly withoutTimes?: true;
  /** The expected result: something (the default), nothing, or an error with this text. */
  readonly finds?: "something" | "nothing" | { readonly error: string };
  /** Texts that the answer must contain. */
  readonly with?: readonly string[];
  /** Settings of the data source in addition to the provisioned settings. */
  readonly jsonData?: Readonly<Record<string, unknown>>;
  /** Feature toggles of Grafana. */
  readonly toggles?: readonly string[];
}

/** Id of a trace that does not exist. */
export const absentTraceId = "1234567890abcdef1234567890abcdef";
