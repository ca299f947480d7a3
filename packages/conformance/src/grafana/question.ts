import type { DataSourceType } from "./plugin-process.ts";

/** One thing that Grafana asks of a data source: exactly one of `health`, `resource` and `query`. */
export interface GrafanaQuestion {
  readonly name: string;
  readonly of: DataSourceType;
  /** *Save & test*. */
  readonly health?: true;
  /** A path of what its editor asks for; `start` and `end` in it are seconds from the base of the corpus. */
  readonly resource?: string;
  readonly query?: Readonly<Record<string, unknown>>;
  /** The channel of a streamed query. */
  readonly stream?: "search" | "metrics";
  /** Whether Grafana sends no times, as for a trace by its id. */
  readonly withoutTimes?: true;
  /** Whether it must find something (by default), nothing, or fail with a text that has this part. */
  readonly finds?: "something" | "nothing" | { readonly error: string };
  /** Texts that the answer must contain. */
  readonly with?: readonly string[];
  /** Settings of the data source beside those provisioned. */
  readonly jsonData?: Readonly<Record<string, unknown>>;
  /** Feature toggles of Grafana. */
  readonly toggles?: readonly string[];
}

/** A trace that nobody has sent. */
export const absentTraceId = "1234567890abcdef1234567890abcdef";
