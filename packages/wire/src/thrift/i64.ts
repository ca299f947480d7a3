/** A signed 64-bit integer as two 32-bit halves, because ids need no arithmetic, and bigints are slow. */
export interface I64 {
  readonly high: number;
  readonly low: number;
}
