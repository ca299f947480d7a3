import type { ServiceTally } from "./service-tally.ts";

/**
 * Spans as RowBinary rows in the order of `spanColumns`, for the journal and the store. The prefix of a row is the
 * columns that all spans of a resource and scope share. A row with the same prefix as the previous row may have a mark
 * instead: see `row-prefixes.ts`. The first row always has its prefix.
 *
 * `bytes` may be a view of a buffer that its producer reuses, so callers must copy it to use it after the call.
 */
export interface SpanRows {
  readonly bytes: Uint8Array;
  /** Number of rows in `bytes`. */
  readonly count: number;
  /** Size of the rows if each had its full prefix, in bytes. Absent: equal to `bytes.length`. */
  readonly plainBytes?: number;
  /** Spans of each service, when the producer counted them. Overwritten together with `bytes`. */
  readonly tally?: readonly ServiceTally[];
}

/** Size of the rows if each had its full prefix; limits of blocks use it. */
export function plainBytesOf({ bytes, plainBytes = bytes.length }: SpanRows): number {
  return plainBytes;
}
