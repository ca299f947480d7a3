import type { AdjustedCounts } from "./adjusted-counts.ts";
import type { ReadOptions } from "./span-reader.ts";

/** Number of calls of one service by another. */
export interface DependencyLink {
  /** The service of the calling span. */
  readonly parent: string;
  /** The called service. It differs from `parent`, because calls inside of one service are not links. */
  readonly child: string;
  /** Number of calls in the time range. */
  readonly callCount: number;
  /** The program that found the link; "" when it was found in stored spans. */
  readonly source: string;
  /**
   * Estimated number of original spans behind the called spans. Present when the query requests it and the store has
   * it.
   */
  readonly adjusted?: AdjustedCounts | undefined;
}

export interface DependencyQuery {
  /** Start of the time range in nanoseconds since the Unix epoch; inclusive. */
  readonly startUnixNano: bigint;
  /** End of the time range; exclusive. */
  readonly endUnixNano: bigint;
  /** True: links also have `adjusted`, the estimated number of original calls before sampling. */
  readonly adjusted?: boolean | undefined;
}

/** Reads which services call which. Methods fail with `StorageError`. */
export interface DependencyReader {
  /**
   * The calls between services, each pair once, sorted by parent, then child. A span counts when it starts in a minute
   * of the query, and its parent is stored and belongs to another service. If a server span shares its id with a client
   * span, the client span is its parent.
   */
  getDependencies(query: DependencyQuery, options?: ReadOptions): Promise<DependencyLink[]>;
}
