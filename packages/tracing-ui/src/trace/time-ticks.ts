/** Factors of round steps: 1, 2 or 5 times a power of ten. */
const mantissas = [1, 2, 5];
/** Round steps from a minute to a day, in microseconds. */
const clockSteps = [60e6, 120e6, 300e6, 600e6, 1_800e6, 3_600e6, 7_200e6, 21_600e6, 43_200e6, 86_400e6];

/**
 * Computes round points of time for an axis.
 * @param fromUs start of the visible range, microseconds after the trace's start
 * @param toUs end of the visible range
 * @param most maximum number of steps between points; at least 1
 * @returns points within [fromUs, toUs], ascending, evenly spaced
 */
export function timeTicks(fromUs: number, toUs: number, most: number): number[] {
  const span = toUs - fromUs;
  if (!(span > 0) || !Number.isFinite(span)) {
    return [fromUs];
  }
  const step = roundStep(span / Math.max(1, most));
  const ticks: number[] = [];
  for (let k = Math.ceil(fromUs / step); k * step <= toUs; k += 1) {
    ticks.push(k * step);
  }
  return ticks;
}

/** The smallest round step that is at least this long, in microseconds. */
function roundStep(least: number): number {
  if (least > 30e6) {
    return clockSteps.find((step) => step >= least) ?? Math.ceil(least / 86_400e6) * 86_400e6;
  }
  const decade = 10 ** Math.floor(Math.log10(least));
  for (const mantissa of mantissas) {
    if (mantissa * decade >= least) {
      return mantissa * decade;
    }
  }
  return 10 * decade;
}

/** An axis label: as a duration, but without the zeros that three significant digits would add. */
export function tickText(us: number, text: { figure: string; unit: string }): string {
  if (us === 0) {
    return "0";
  }
  const figure = text.figure.includes(".") ? text.figure.replace(/\.?0+$/, "") : text.figure;
  return text.unit === "" ? figure : `${figure}\u00a0${text.unit}`;
}
