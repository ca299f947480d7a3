/** A number of at most three significant digits, without noise of floats. */
function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/**
 * Says how much of an error budget is left.
 * @param left share that is left, at most 1, below 0 when more was used than there is; null without spans
 */
export function budgetText(left: number | null): string {
  if (left === null) {
    return "–";
  }
  if (left < 0) {
    return `used ${figure(1 - left)} times`;
  }
  // A budget that was touched is never shown as whole, nor one that is not used up as gone.
  const percent = left * 100;
  if (percent > 99.9 && percent < 100) {
    return ">99.9\u00a0%";
  }
  return percent > 0 && percent < 0.1 ? "<0.1\u00a0%" : `${figure(percent)}\u00a0%`;
}

/** A burn rate: 1 uses the budget up at the end of the window. A dash without spans. */
export function burnText(rate: number | null | undefined): string {
  return rate === null || rate === undefined ? "–" : figure(rate);
}

/** The share of good spans in per cent, as many digits as the target needs to be compared; `–` without spans. */
export function goodText(total: number, bad: number, target: number): string {
  if (!(total > 0)) {
    return "–";
  }
  const digits = Math.max(2, (String(target).split(".")[1] ?? "").length + 1);
  const percent = (100 * (total - bad)) / total;
  // Rounding must not make an objective look better than it is.
  const cut = Math.floor(percent * 10 ** digits + 1e-6) / 10 ** digits;
  return `${Number(cut.toFixed(digits))}\u00a0%`;
}

/** A window in days where it is whole days, else in hours: `30 d`, `36 h`. */
export function windowText(hours: number): string {
  return hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
}
