import type { ServiceTally } from "./service-tally.ts";

/**
 * Spans as RowBinary rows in the order of `spanColumns`, ready for the journal and for the store.
 * `bytes` may be a view of a buffer that its producer uses again: who keeps it longer than the call copies it.
 */
export interface SpanRows {
  readonly bytes: Uint8Array;
  /** How many rows `bytes` holds. */
  readonly count: number;
  /** All of the rows by service, where their producer counted them. Overwritten as `bytes` is. */
  readonly tally?: readonly ServiceTally[];
}
