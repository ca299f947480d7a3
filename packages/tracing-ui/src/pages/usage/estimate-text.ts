const units = ["B", "kB", "MB", "GB", "TB", "PB"];

/**
 * An estimated number of bytes: `≈ 1.2 GB`. The sign and the rounding to two digits show that it is not measured.
 * @param bytes null: there is nothing to estimate from
 */
export function estimateText(bytes: number | null): string {
  if (bytes === null) {
    return "not sampled";
  }
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  const digits = value < 9.95 && unit > 0 ? value.toFixed(1) : String(Number(value.toPrecision(2)));
  return `≈ ${digits} ${units[unit]}`;
}
