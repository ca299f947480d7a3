/** A duration ready to print: the figure, and its unit apart because units are set lighter than figures. */
export interface DurationText {
  figure: string;
  unit: string;
}

const secondUs = 1_000_000;
const minuteUs = 60 * secondUs;
const hourUs = 60 * minuteUs;

/**
 * Prints a duration with three significant digits: `842 µs`, `1.24 ms`, `12.3 s`; from a minute on as a
 * clock, `2:05 min` and `1:02:05 h`.
 * @param us microseconds; below zero or not finite counts as 0
 */
export function formatDuration(us: number): DurationText {
  if (!(us > 0) || !Number.isFinite(us)) return { figure: "0", unit: "µs" };
  // The limits are where rounding to three digits would give 1000 or 60.0 of the smaller unit.
  if (us < 999.5) return { figure: Number.isInteger(us) ? String(us) : us.toPrecision(3), unit: "µs" };
  if (us < 999_500) return { figure: (us / 1_000).toPrecision(3), unit: "ms" };
  if (us < 59.95 * secondUs) return { figure: (us / secondUs).toPrecision(3), unit: "s" };
  const seconds = Math.round(us / secondUs);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  if (seconds * secondUs < hourUs) {
    return { figure: `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`, unit: "min" };
  }
  const minutes = Math.floor(seconds / 60);
  return {
    figure: `${Math.floor(minutes / 60)}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}`,
    unit: "h",
  };
}

/** `formatDuration` as one text, with a no-break space between figure and unit. */
export function durationText(us: number): string {
  const { figure, unit } = formatDuration(us);
  return `${figure}\u00a0${unit}`;
}
