/** A part on the local disk, of a table that is partitioned by day. */
export interface LocalPart {
  readonly database: string;
  readonly table: string;
  readonly tableUuid: string;
  readonly part: string;
  /** Day of the part in UTC, such as 2026-11-21. */
  readonly day: string;
  readonly bytes: number;
  readonly rows: number;
}

export interface MoveLimits {
  /** Age in milliseconds after which a day moves, counted from its end. */
  readonly afterMs: number;
  /** Maximum number of bytes of all tables on the local disk; above it the oldest days move early. 0: no limit. */
  readonly maxLocalBytes: number;
}

const dayMs = 86_400_000;

/**
 * Chooses the parts to move: the parts of old days, then the oldest other parts, until the remaining parts fit on the
 * disk. The newest day never moves for its size, because rows still arrive in it.
 * @param parts parts on the local disk, oldest day first
 * @param localBytes size of all tables on the local disk
 */
export function daysToMove<Part extends LocalPart>(
  parts: readonly Part[],
  localBytes: number,
  { afterMs, maxLocalBytes }: MoveLimits,
  now: number,
): Part[] {
  const newest = parts.at(-1)?.day;
  let left = localBytes;
  const days = [...Map.groupBy(parts, ({ day }) => day)];
  return days.flatMap(([day, ofDay]) => {
    const isOld = Date.parse(`${day}T00:00:00Z`) + dayMs + afterMs <= now;
    const isOver = maxLocalBytes > 0 && left > maxLocalBytes && day !== newest;
    if (!isOld && !isOver) {
      return [];
    }
    left -= ofDay.reduce((sum, { bytes }) => sum + bytes, 0);
    return ofDay;
  });
}
