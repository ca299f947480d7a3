/** Converts nanoseconds to a unit, as a decimal number without trailing zeros. */
function scaled(ns: number, unit: number, digits: number): string {
  return String(Number((ns / unit).toFixed(digits)));
}

/**
 * Writes a duration the way Go does: `54.45µs`, `1.5ms`, `1m2.25s`.
 * @param ms milliseconds; rounded to nanoseconds
 * Source: Go, package time, `Duration.String`
 */
export function formatGoDuration(ms: number): string {
  const ns = Math.round(Math.abs(ms) * 1e6);
  const sign = ms < 0 && ns > 0 ? "-" : "";
  if (ns === 0) {
    return "0s";
  }
  if (ns < 1e3) {
    return `${sign}${ns}ns`;
  }
  if (ns < 1e6) {
    return `${sign}${scaled(ns, 1e3, 3)}µs`;
  }
  if (ns < 1e9) {
    return `${sign}${scaled(ns, 1e6, 6)}ms`;
  }
  const minutes = Math.floor(ns / 60e9);
  const seconds = `${scaled(ns - minutes * 60e9, 1e9, 9)}s`;
  if (minutes === 0) {
    return sign + seconds;
  }
  return minutes < 60
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}
