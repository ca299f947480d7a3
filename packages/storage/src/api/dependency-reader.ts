import type { AdjustedCounts } from "./adjusted-counts.ts";
import type { ReadOptions } from "./span-reader.ts";

/** Number of calls of one service by another. */
export interface DependencyLink {
  /** The service of the calling span. */
  readonly parent: string;
  /** Differs from `parent`, because calls of a service to itself are no links. */
  readonly child: string;
  /** Number of calls in the time. */
  readonly callCount: number;
  /** The program that found the link; "" when it was found in stored spans. */
  readonly source: string;
  /** The number that the called spans stand for, when the query asks for it and the store knows. */
  readonly adjusted?: AdjustedCounts | undefined;
}

export interface DependencyQuery {
  /** Nanoseconds since the Unix epoch; inclusive. */
  readonly startUnixNano: bigint;
  /** End of the time, exclusive. */
  readonly endUnixNano: bigint;
  /** True: links also say what calls whose spans were sampled stand for. */
  readonly adjusted?: boolean | undefined;
}

/** Reads which services call which. Throws `StorageError`. */
export interface DependencyReader {
  /**
   * The calls between services, each pair once, sorted by parent, then child. A span counts when it starts in a
   * minute of the query, and its parent is stored and belongs to another service. A server's span that shares its id
   * with the client's span has the client's as parent.
   */
  getDependencies(query: DependencyQuery, options?: ReadOptions): Promise<DependencyLink[]>;
}
