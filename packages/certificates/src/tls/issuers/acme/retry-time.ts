const dayMs = 86_400_000;
/**
 * Longest pause in milliseconds that a CA may request. CAs request pauses of hours, at most of a week. One request a
 * day does no harm, and with this limit a wrong clock cannot stop renewals.
 */
const maxPauseMs = dayMs;

/**
 * The time from which `Retry-After` allows the next request, in milliseconds since 1970: at most a day after `now`.
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
