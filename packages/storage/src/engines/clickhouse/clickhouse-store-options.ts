/** Where the ClickHouse engine finds its server, and how long it waits. */
export interface ClickHouseStoreOptions {
  /**
   * Base addresses of ClickHouse's HTTP interface, such as "http://127.0.0.1:8123"; at least one. One is used
   * until it cannot be reached, then the next.
   */
  readonly urls: readonly string[];
  /** "default" by default. */
  readonly user?: string;
  /** Empty by default. */
  readonly password?: string;
  /** Letters, digits and `_`, at most 64; "tracing" by default. Created when it is missing. */
  readonly database?: string;
  /** Deadline of one call, milliseconds; 30,000 by default. */
  readonly requestTimeoutMs?: number;
  /** Most connections to one address at a time; 16 by default. */
  readonly maxConnections?: number;
  /** Most bytes of rows that one read may return; 512 MiB by default. The spans take about three times as much. */
  readonly maxReadBytes?: number;
}
