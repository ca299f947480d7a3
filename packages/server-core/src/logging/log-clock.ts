let offset = Date.now() - performance.now();

/**
 * The time of day for a line of a log: milliseconds since 1970, to the microsecond. The system's clock says which
 * millisecond it is, so it is followed wherever it is set to; the monotonic one what part of it.
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
