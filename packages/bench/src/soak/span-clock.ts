/** Clock of the spans of a run. */
export interface SpanClock {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** How many times as fast as the machine's clock it runs. */
  readonly speed: number;
  /** From this moment on it is the machine's clock, in milliseconds since the Unix epoch. */
  readonly endMs: number;
}

/**
 * A clock that goes faster and is right again at `endMs`: a store that keeps whole days then has days to drop within an hour.
 * @param speed 1: the machine's clock; 288: a day in five minutes
 * @param machineMs what the machine's clock says
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
