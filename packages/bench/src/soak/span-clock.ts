/** Clock of the spans of a run. */
export interface SpanClock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Factor by which the clock runs faster than the machine's clock. */
  readonly speed: number;
  /** From this time on the clock equals the machine's clock; milliseconds since the Unix epoch. */
  readonly endMs: number;
}

/**
 * A clock that runs faster and is correct from `endMs` on: a store that keeps whole days then drops days within an
 * hour.
 * @param speed 1 equals the machine's clock; 288 makes a day pass in five minutes
 * @param machineMs returns the time of the machine's clock
 */
export function spanClock(endMs: number, speed: number, machineMs: () => number = Date.now): SpanClock {
  return {
    nowMs: () => {
      const now = machineMs();
      return now - Math.max(0, endMs - now) * (speed - 1);
    },
    ...{ speed, endMs },
  };
}
