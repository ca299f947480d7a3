/**
 * A signed 64-bit integer as two 32-bit halves: ids need no arithmetic, and creating a bigint for each is expensive.
 */
export interface I64 {
  readonly high: number;
  readonly low: number;
}
