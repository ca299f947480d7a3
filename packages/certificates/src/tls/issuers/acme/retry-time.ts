const dayMs = 86_400_000;
/**
 * Limit of the pause that an authority may ask for. Authorities ask for hours, at most for a week. One request a day
 * does no harm, and a wrong clock cannot stop renewals.
 */
const maxPauseMs = dayMs;

/**
 * The time at which `Retry-After` allows another try, in milliseconds since 1970: at most a day from `now`.
 * @param value header value: seconds or an HTTP date
 * @returns undefined for an empty or unreadable value, and for a time in the past
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
