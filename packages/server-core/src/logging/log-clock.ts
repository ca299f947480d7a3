let offset = Date.now() - performance.now();

/**
 * Time for a log line: milliseconds since 1970, with microseconds. The system's clock gives the milliseconds, and the
 * monotonic clock gives the fraction, so the time follows changes of the system's clock.
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
