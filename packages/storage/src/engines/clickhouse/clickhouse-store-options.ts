import type { ClusterSettings } from "./cluster-settings.ts";
import type { OnHostChange } from "./hosts/host-health.ts";
import type { WatchedHostTls } from "./hosts/host-tls.ts";

/** Addresses, credentials and time limits of a ClickHouse store. */
export interface ClickHouseStoreOptions {
  /**
   * Base addresses of ClickHouse's HTTP interface, such as "http://127.0.0.1:8123"; at least one. With
   * several, successive calls go to different servers that are up. User and password in an address override
   * those below.
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
  /**
   * Most bytes of rows that one read may return; 512 MiB by default. The spans occupy about three times as
   * much.
   */
  readonly maxReadBytes?: number;
  /**
   * True by default: each span counts once. False: a span that is stored more than once may count as often. False
   * saves a query before or within each read that counts spans. For measurements of what that costs.
   */
  readonly exactCounts?: boolean;
  /** Tables over several servers; a single server by default. */
  readonly cluster?: ClusterSettings | undefined;
  /**
   * For https addresses; absent: the system's authorities, and no client certificate. The store closes it.
   */
  readonly tls?: WatchedHostTls | undefined;
  /** Called at once with the state of every server, and then with each change. */
  readonly onHostChange?: OnHostChange | undefined;
  /** Called when a second server is asked because the first is slow. */
  readonly onHedge?: OnHedge | undefined;
  /**
   * `allow`, the default: callers that accept reasons (`ReadOptions.onPartial`) get an answer without the
   * rows of an absent shard. `refuse`: such a read fails.
   */
  readonly partialAnswers?: "allow" | "refuse" | undefined;
  /** Called at each read; makes the read a part of a trace. */
  readonly traceCall?: TraceCall | undefined;
}

/**
 * Called when a read or insert took so long that a second server was tried.
 * @param kind the purpose of the call: "trace", "search", "insert" and so on
 * @param outcome which server answered first: `won` the second, `lost` the first; `denied`: a second one
 *   would have been one too many
 */
export type OnHedge = (kind: string, outcome: "won" | "lost" | "denied") => void;

/** A read of the server as a part of a trace. */
export interface CallTrace {
  /** The header of W3C Trace Context. */
  readonly traceparent: string;
  /** @param error why it failed */
  end(error?: unknown): void;
}

/** @returns undefined when the call is not traced */
export type TraceCall = (sql: string) => CallTrace | undefined;
