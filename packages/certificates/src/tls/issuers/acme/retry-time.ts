const dayMs = 86_400_000;
/**
 * Longest pause that is respected: a day. Authorities ask for hours, at most for a week; one question a day
 * does no harm and outlives a wrong clock.
 */
const maxPauseMs = dayMs;

/**
 * When `Retry-After` allows another try, in milliseconds since 1970: at most a day from `now`.
 * @param value seconds, or a date of HTTP
 * @returns undefined when it says nothing, or nothing readable, or a time that is over
 * Source: RFC 9110, section 10.2.3
 */
export function retryTime(value: string, now: number): number | undefined {
  const text = value.trim();
  const atMs = /^\d+$/.test(text)
    ? now + Number(text) * 1000
    : / GMT$/.test(text)
      ? Date.parse(text)
      : Number.NaN;
  return atMs > now ? Math.min(atMs, now + maxPauseMs) : undefined;
}
