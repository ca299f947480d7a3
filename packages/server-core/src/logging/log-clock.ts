let offset = Date.now() - performance.now();

/**
 * The time for a log line: milliseconds since 1970, to the microsecond. The system's clock gives the
 * millisecond, the monotonic clock the fraction, so the time follows a clock that is set.
 */
export function logTimeMs(): number {
  const millisecond = Date.now();
  const elapsed = performance.now();
  let now = elapsed + offset;
  if (now < millisecond || now >= millisecond + 1) {
    now = now < millisecond ? millisecond : millisecond + 0.999;
    offset = now - elapsed;
  }
  return Math.floor(now * 1000) / 1000;
}
