import type { ReadOptions } from "./span-reader.ts";

/** How often one service called another. */
export interface DependencyLink {
  /** The service of the calling span. */
  readonly parent: string;
  /** Another service: calls of a service to itself are no links. */
  readonly child: string;
  readonly callCount: number;
  /** Who found the link; "" when it was found in stored spans. */
  readonly source: string;
}

export interface DependencyQuery {
  /** Nanoseconds since the Unix epoch; inclusive. */
  readonly startUnixNano: bigint;
  readonly endUnixNano: bigint;
}

/** Reads which services call which. Throws `StorageError`. */
export interface DependencyReader {
  /**
   * Links, each pair of services once, sorted by parent, then child. Every span counts whose parent is stored in the same
   * trace and belongs to another service, and which starts in one of the minutes that the query touches. A server's span
   * that shares its id with its client's has that one as parent.
   */
  getDependencies(query: DependencyQuery, options?: ReadOptions): Promise<DependencyLink[]>;
}
