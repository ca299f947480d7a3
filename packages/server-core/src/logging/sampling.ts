import type { LogEntry } from "./log-entry.ts";

/** The most different messages that are told apart; more share a count. */
const maxKinds = 1000;

/**
 * Lets the first entries of a kind in each interval pass, then one of each `thereafter`. A kind is a level and a message.
 * @returns says whether an entry passes
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
