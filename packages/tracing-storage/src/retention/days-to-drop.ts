/** Facts about one day of a table, for retention. */
export interface StoredDay {
  /** Date of the day in UTC, such as 2026-11-21. */
  readonly day: string;
  readonly bytes: number;
}

export interface RetentionLimits {
  /** Age in milliseconds after which a day is dropped, counted from the end of the day; 0: no limit. */
  readonly maxAgeMs: number;
  /** Size limit for all tables together in bytes; 0: no limit. */
  readonly maxBytes: number;
}

export interface DaysToDrop<Day> {
  readonly byAge: readonly Day[];
  readonly bySize: readonly Day[];
  /** True when the size exceeds `maxBytes` even after dropping all days that may be dropped. */
  readonly isStillTooLarge: boolean;
}

const dayMs = 86_400_000;

/**
 * Chooses the days to drop: first all days that are too old, then the oldest remaining days until the size is below the
 * limit. The newest day is never dropped because of its size, because spans would then vanish just after they were
 * stored.
 * @param days oldest first; a day occurs once for each table that has it, and is dropped from all these tables
 * @param totalBytes size of all tables, including tables without days
 */
export function daysToDrop<Day extends StoredDay>(
  days: readonly Day[],
  totalBytes: number,
  { maxAgeMs, maxBytes }: RetentionLimits,
  now: number,
): DaysToDrop<Day> {
  const isOld = ({ day }: Day) => maxAgeMs > 0 && Date.parse(`${day}T00:00:00Z`) + dayMs + maxAgeMs <= now;
  const byAge = days.filter(isOld);
  const kept = days.filter((day) => !isOld(day));
  let left = totalBytes - byAge.reduce((sum, { bytes }) => sum + bytes, 0);
  const newest = kept.at(-1)?.day;
  const going = new Set<string>();
  if (maxBytes > 0) {
    for (const day of new Set(kept.map(({ day }) => day))) {
      if (left <= maxBytes || day === newest) {
        break;
      }
      going.add(day);
      left -= kept.filter((one) => one.day === day).reduce((sum, { bytes }) => sum + bytes, 0);
    }
  }
  return {
    byAge,
    bySize: kept.filter(({ day }) => going.has(day)),
    isStillTooLarge: maxBytes > 0 && left > maxBytes,
  };
}
