import type { ClusterSettings } from "./cluster/cluster-settings.ts";
import type { OnHostChange } from "./hosts/host-health.ts";
import type { WatchedHostTls } from "./hosts/host-tls.ts";

/** Where the ClickHouse engine finds its server, and how long it waits. */
export interface ClickHouseStoreOptions {
  /**
   * Base addresses of ClickHouse's HTTP interface, such as "http://127.0.0.1:8123"; at least one. With several, each call
   * goes to another one, of those that are there. User and password in an address come before those below.
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
  /** Tables over several servers; a single server by default. */
  readonly cluster?: ClusterSettings | undefined;
  /** For addresses with https; absent: the usual authorities, and no certificate of ours. The store closes it. */
  readonly tls?: WatchedHostTls | undefined;
  /** Told at once of every server, and then of each that is found away or back. */
  readonly onHostChange?: OnHostChange | undefined;
  readonly onHedge?: OnHedge | undefined;
  /**
   * `allow`, the default: an answer without the rows of a shard that is away is given to callers that take its reasons
   * (`ReadOptions.onPartial`). `refuse`: such a read fails.
   */
  readonly partialAnswers?: "allow" | "refuse" | undefined;
  /** Asked at each read; makes it a part of a trace. */
  readonly traceCall?: TraceCall | undefined;
}

/**
 * Told of reads and inserts that took so long that a second server was asked too.
 * @param kind what the call is for: "trace", "search", "insert" and so on
 * @param outcome which server answered first: `won` the second, `lost` the first; `denied`: a second one would have been one too many
 */
export type OnHedge = (kind: string, outcome: "won" | "lost" | "denied") => void;

/** A read of the server as a part of a trace. */
export interface CallTrace {
  /** As the header of W3C Trace Context has it. */
  readonly traceparent: string;
  /** @param error why it failed */
  end(error?: unknown): void;
}

/** @returns undefined where nothing is traced */
export type TraceCall = (sql: string) => CallTrace | undefined;
