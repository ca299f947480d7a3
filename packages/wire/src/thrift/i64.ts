/** A signed 64-bit integer in two halves of 32 bits: ids need no arithmetic, and a bigint for each would cost. */
export interface I64 {
  readonly high: number;
  readonly low: number;
}
