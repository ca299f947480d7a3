/** Rules for rolling a log file independently of its size. */
export interface RollSchedule {
  /** Time between two rolls in milliseconds; 0: never. */
  readonly everyMs: number;
  /** Minutes of each hour at which files are rolled. */
  readonly minutes: readonly number[];
  /** Times of each day at which files are rolled, in minutes since midnight, local time. */
  readonly daily: readonly number[];
}

/** @param text time as `HH:MM` @returns minutes since midnight; undefined for a text that is not a time */
export function parseTimeOfDay(text: string): number | undefined {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim());
  return match === null ? undefined : Number(match[1]) * 60 + Number(match[2]);
}

function nextMinute(after: Date, minutes: readonly number[]): number {
  const hour = new Date(after);
  hour.setMinutes(0, 0, 0);
  const candidates = [0, 1].flatMap((hours) =>
    minutes.map((minute) => hour.getTime() + (hours * 60 + minute) * 60_000),
  );
  return Math.min(...candidates.filter((each) => each > after.getTime()));
}

function nextDaily(after: Date, daily: readonly number[]): number {
  const candidates = [0, 1].flatMap((days) =>
    daily.map((minutes) =>
      new Date(
        after.getFullYear(),
        after.getMonth(),
        after.getDate() + days,
        Math.floor(minutes / 60),
        minutes % 60,
      ).getTime(),
    ),
  );
  return Math.min(...candidates.filter((each) => each > after.getTime()));
}

/** @returns the next time after `fromMs`, in milliseconds since 1970; Infinity when the schedule is empty */
export function nextRoll({ everyMs, minutes, daily }: RollSchedule, fromMs: number): number {
  return Math.min(
    everyMs > 0 ? fromMs + everyMs : Number.POSITIVE_INFINITY,
    nextMinute(new Date(fromMs), minutes),
    nextDaily(new Date(fromMs), daily),
  );
}
