/** Formats a number with at most three significant digits, without floating-point noise. */
function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/**
 * Text for the remaining error budget.
 * @param left remaining share, at most 1, below 0 for an exceeded budget; null without spans
 */
export function budgetText(left: number | null): string {
  if (left === null) {
    return "–";
  }
  if (left < 0) {
    return `used ${figure(1 - left)} times`;
  }
  // Rounding must never show a partly used budget as 100 %, nor a remaining budget as 0 %.
  const percent = left * 100;
  if (percent > 99.9 && percent < 100) {
    return ">99.9\u00a0%";
  }
  return percent > 0 && percent < 0.1 ? "<0.1\u00a0%" : `${figure(percent)}\u00a0%`;
}

/** A burn rate as text. At rate 1 the budget is used up exactly at the end of the window. A dash without spans. */
export function burnText(rate: number | null | undefined): string {
  return rate === null || rate === undefined ? "–" : figure(rate);
}

/** The share of good spans in per cent, with enough digits to compare it with the target; `–` without spans. */
export function goodText(total: number, bad: number, target: number): string {
  if (!(total > 0)) {
    return "–";
  }
  const digits = Math.max(2, (String(target).split(".")[1] ?? "").length + 1);
  const percent = (100 * (total - bad)) / total;
  // Round down, so that an objective never looks better than it is.
  const cut = Math.floor(percent * 10 ** digits + 1e-6) / 10 ** digits;
  return `${Number(cut.toFixed(digits))}\u00a0%`;
}

/** A window in days if it is a whole number of days, else in hours: `30 d`, `36 h`. */
export function windowText(hours: number): string {
  return hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
}
