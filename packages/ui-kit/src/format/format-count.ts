/**
 * A number with commas between thousands, `12,345`. `toLocaleString` writes the same, but loads the browser's tables
 * of languages first, which takes some ten milliseconds of a page's first second.
 */
export function formatCount(value: number): string {
  const text = String(value);
  // No number below 10^21 is written with an exponent, unless it is a tiny fraction.
  if (text.includes("e")) {
    return text;
  }
  const point = text.indexOf(".");
  const whole = point === -1 ? text : text.slice(0, point);
  return whole.replace(/\B(?=(\d{3})+$)/g, ",") + text.slice(whole.length);
}
