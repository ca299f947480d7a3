import type { LogEntry } from "./log-entry.ts";

/**
 * Maximum number of different messages that are counted separately in an interval. After that, all messages of a level
 * share a count.
 */
const maxKinds = 1000;

/**
 * For each kind of entry, passes the first `first` entries of each interval, then one entry in `thereafter`. The kind
 * is level and message.
 * @returns a function that is true for entries that pass
 */
export function compileSampling(
  intervalMs: number,
  first: number,
  thereafter: number,
): (entry: LogEntry) => boolean {
  const counts = new Map<string, number>();
  let until = 0;
  return ({ level, message, timeMs }) => {
    if (timeMs >= until) {
      counts.clear();
      until = timeMs + intervalMs;
    }
    const kind = counts.size < maxKinds ? `${level} ${message}` : level;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= first || (count - first) % thereafter === 0;
  };
}
