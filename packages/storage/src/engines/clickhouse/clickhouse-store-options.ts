import type { ClusterSettings } from "./cluster-settings.ts";
import type { OnHostChange } from "./hosts/host-health.ts";
import type { WatchedHostTls } from "./hosts/host-tls.ts";

/** Addresses, credentials and time limits of a ClickHouse store. */
export interface ClickHouseStoreOptions {
  /**
   * Base addresses of ClickHouse's HTTP interface, such as "http://127.0.0.1:8123"; at least one. With several,
   * successive calls go to different servers that are up. User and password in an address override `user` and
   * `password`.
   */
  readonly urls: readonly string[];
  /** User for addresses without a user. Default: "default". */
  readonly user?: string;
  /** Password for addresses without a password. Default: empty. */
  readonly password?: string;
  /**
   * Name of the database: letters, digits and `_`, at most 64. Default: "tracing". The store creates a missing
   * database.
   */
  readonly database?: string;
  /** Milliseconds until one call fails with STORAGE_TIMEOUT. Default: 30,000. */
  readonly requestTimeoutMs?: number;
  /** Maximum number of open connections to one address. Default: 16. */
  readonly maxConnections?: number;
  /**
   * Maximum size of the rows that one read may return, in bytes. Default: 512 MiB. Decoded spans need about three times
   * as much memory.
   */
  readonly maxReadBytes?: number;
  /**
   * True, the default: each span is counted once. False: a span that is stored several times may count several times.
   * False saves a query before or inside each read that counts spans; the option exists to measure this cost.
   */
  readonly exactCounts?: boolean;
  /** Cluster that holds the tables. Absent: a single server. */
  readonly cluster?: ClusterSettings | undefined;
  /**
   * TLS settings for https addresses. Absent: the system's CAs, and no client certificate. The store closes the object.
   */
  readonly tls?: WatchedHostTls | undefined;
  /** Called immediately with the state of every server, and again at each change. */
  readonly onHostChange?: OnHostChange | undefined;
  /** Called when a slow call is also sent to a second server. */
  readonly onHedge?: OnHedge | undefined;
  /**
   * `allow`, the default: a caller that accepts reasons (`ReadOptions.onPartial`) gets an answer without the rows of a
   * missing shard. `refuse`: a read that lacks rows fails.
   */
  readonly partialAnswers?: "allow" | "refuse" | undefined;
  /** Called at each read. It returns the span that traces the read. */
  readonly traceCall?: TraceCall | undefined;
}

/**
 * Called when a read or insert took so long that a second server was considered.
 * @param kind purpose of the call: "trace", "search", "insert" and so on
 * @param outcome `won`: the second server answered first; `lost`: the first server answered first; `denied`: the limit
 * of second calls was reached
 */
export type OnHedge = (kind: string, outcome: "won" | "lost" | "denied") => void;

/** The span of one read. */
export interface CallTrace {
  /** The `traceparent` header of W3C Trace Context. */
  readonly traceparent: string;
  /** Ends the span. @param error why the read failed */
  end(error?: unknown): void;
}

/** @returns undefined when the call is not traced */
export type TraceCall = (sql: string) => CallTrace | undefined;
