/** Microseconds after the last known span in which more spans may arrive: senders batch finished spans. */
const arrivalUs = 30_000_000;

/**
 * True when more spans of a trace may still arrive. False when a wrong clock puts the trace's end far into the future.
 * @param endUs end of the last span, microseconds since 1970
 * @param nowUs microseconds since 1970
 */
export function isArriving(endUs: number, nowUs: number): boolean {
  return Math.abs(nowUs - endUs) < arrivalUs;
}
