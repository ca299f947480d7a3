import type { ServiceTally } from "./service-tally.ts";

/**
 * Spans as RowBinary rows in the order of `spanColumns`, ready for the journal and for the store. A row that has the prefix of
 * the row before, which is the columns that all spans of a resource and scope share, may have a mark in its place: see
 * `row-prefixes.ts`. The first row never has.
 *
 * `bytes` may be a view of a buffer that its producer uses again: who keeps it longer than the call copies it.
 */
export interface SpanRows {
  readonly bytes: Uint8Array;
  /** How many rows `bytes` holds. */
  readonly count: number;
  /** What they would take if no row had a mark; `bytes.length` where it is absent. */
  readonly plainBytes?: number;
  /** All of the rows by service, where their producer counted them. Overwritten as `bytes` is. */
  readonly tally?: readonly ServiceTally[];
}

/** Bytes that the rows would take if each had its own prefix: what limits of blocks go by. */
export function plainBytesOf({ bytes, plainBytes = bytes.length }: SpanRows): number {
  return plainBytes;
}
