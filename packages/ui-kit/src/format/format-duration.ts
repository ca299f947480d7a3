/** A formatted duration: the figure, and separately the unit, because units are drawn lighter than figures. */
export interface DurationText {
  figure: string;
  /** Unit of the figure; "" from a minute on, because then the figure contains its units. */
  unit: string;
}

const secondUs = 1_000_000;

/**
 * Prints a duration with three significant digits: `842 µs`, `1.24 ms`, `12.3 s`; from a minute on with its two
 * largest units, `1m 12s`, `30m`, `3h 5m`, `2d`.
 * @param us microseconds; below zero or not finite counts as 0
 */
export function formatDuration(us: number): DurationText {
  if (!(us > 0) || !Number.isFinite(us)) {
    return { figure: "0", unit: "µs" };
  }
  // From these limits on, rounding to three digits would give 1000 or 60.0 of the smaller unit.
  if (us < 999.5) {
    return { figure: Number.isInteger(us) ? String(us) : us.toPrecision(3), unit: "µs" };
  }
  if (us < 999_500) {
    return { figure: (us / 1_000).toPrecision(3), unit: "ms" };
  }
  if (us < 59.95 * secondUs) {
    return { figure: (us / secondUs).toPrecision(3), unit: "s" };
  }
  const seconds = Math.round(us / secondUs);
  if (seconds < 3_600) {
    return inUnits(seconds, 60, "m", "s");
  }
  const minutes = Math.round(seconds / 60);
  return minutes < 24 * 60 ? inUnits(minutes, 60, "h", "m") : inUnits(Math.round(minutes / 60), 24, "d", "h");
}

/** Text in two units; the smaller unit is left out when it is 0. */
function inUnits(count: number, perLarge: number, large: string, small: string): DurationText {
  const rest = count % perLarge;
  const figure = `${Math.floor(count / perLarge)}${large}`;
  return { figure: rest === 0 ? figure : `${figure}\u00a0${rest}${small}`, unit: "" };
}

/** The result of `formatDuration` as one text, with a no-break space between figure and unit. */
export function durationText(us: number): string {
  const { figure, unit } = formatDuration(us);
  return unit === "" ? figure : `${figure}\u00a0${unit}`;
}
