/** A formatted rate: the figure with three significant digits, and its unit, per second or per minute. */
export function formatRate(perSecond: number): { figure: string; unit: string } {
  if (!(perSecond > 0) || !Number.isFinite(perSecond)) {
    return { figure: "0", unit: "/s" };
  }
  if (perSecond >= 999_500) {
    return { figure: (perSecond / 1e6).toPrecision(3), unit: "M/s" };
  }
  if (perSecond >= 999.5) {
    return { figure: (perSecond / 1e3).toPrecision(3), unit: "k/s" };
  }
  if (perSecond >= 0.1) {
    return { figure: perSecond.toPrecision(3), unit: "/s" };
  }
  return { figure: (perSecond * 60).toPrecision(2), unit: "/min" };
}

/** A share as per cent: two significant digits below 10 %, whole numbers above. @param share 0 to 1 */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (!(percent > 0)) {
    return "0";
  }
  if (percent < 0.01) {
    return "<0.01";
  }
  return percent < 9.95 ? String(Number(percent.toPrecision(2))) : percent.toFixed(0);
}
