/** How long after its last known span a trace may get more: spans are sent when they end, in batches. */
const arrivalUs = 30_000_000;

/**
 * Whether spans of a trace may still be on their way. False when a wrong clock puts its end far ahead.
 * @param endUs end of the last span, microseconds since 1970
 * @param nowUs microseconds since 1970
 */
export function isArriving(endUs: number, nowUs: number): boolean {
  return Math.abs(nowUs - endUs) < arrivalUs;
}
