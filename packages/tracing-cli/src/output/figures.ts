/** A duration as people read it: `12.3 ms`, `1.20 s`, `1m 12s`, `2h 5m`. @param micros microseconds */
export function durationText(micros: number): string {
  if (micros < 0) {
    return `-${durationText(-micros)}`;
  }
  if (micros < 1_000) {
    return `${Math.round(micros * 10) / 10} µs`;
  }
  if (micros < 999_950) {
    return `${threeDigits(micros / 1_000)} ms`;
  }
  if (micros < 59_995_000) {
    return `${threeDigits(micros / 1_000_000)} s`;
  }
  const seconds = Math.round(micros / 1_000_000);
  if (seconds < 3_600) {
    return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  }
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** Three significant digits: `1.20`, `12.3`, `123`. The bounds prevent that 9.996 becomes `10.00`. */
function threeDigits(value: number): string {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

/** Local time with milliseconds: `2026-01-31 12:00:00.123`. @param ms milliseconds since the Unix epoch */
export function timeText(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? String(ms) : local.toISOString().slice(0, -1).replace("T", " ");
}

/** A share in percent: `3.2 %`; `0 %` when the part is 0, and `-` when the whole is 0. */
export function shareText(part: number, whole: number): string {
  return whole === 0 ? "-" : `${((100 * part) / whole).toFixed(part === 0 ? 0 : 1)} %`;
}
