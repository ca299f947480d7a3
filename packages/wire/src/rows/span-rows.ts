import type { ServiceTally } from "./service-tally.ts";

/**
 * Spans as RowBinary rows in the order of `spanColumns`, for the journal and the store. The prefix of a row is the
 * columns that all spans of a resource and scope have in common. A mark may replace the prefix of a row if the previous
 * row has the same prefix: see `row-prefixes.ts`. The first row always has its prefix.
 *
 * `bytes` may be part of a buffer that its producer reuses, so callers must copy the bytes to use them later.
 */
export interface SpanRows {
  readonly bytes: Uint8Array;
  /** Number of rows in `bytes`. */
  readonly count: number;
  /** Size in bytes that the rows would have with full prefixes. Absent: equal to `bytes.length`. */
  readonly plainBytes?: number;
  /** Spans of each service, if the producer counted them. Overwritten together with `bytes`. */
  readonly tally?: readonly ServiceTally[];
}

/** Size that the rows would have with full prefixes, for limits of blocks. */
export function plainBytesOf({ bytes, plainBytes = bytes.length }: SpanRows): number {
  return plainBytes;
}
