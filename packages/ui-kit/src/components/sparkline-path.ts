/** Values at even steps of time; null where nothing is known. */
export type Samples = readonly (number | null)[];

/** Half of the length, in the box of 100, that a value between two gaps is drawn with: a point would not be seen. */
const alone = 0.8;

/**
 * The path of a curve in a box of 100 by 20, and of the area below it; gaps stay gaps.
 * @param most the value at the box's top; at 0 everything lies on the ground
 */
export function sparklinePath(values: Samples, most: number): { line: string; area: string } {
  const x = (index: number) => round(values.length < 2 ? 50 : (index / (values.length - 1)) * 100);
  const y = (value: number) => round(19 - (most > 0 ? Math.min(1, value / most) : 0) * 18);
  let line = "";
  let area = "";
  let began = -1;
  values.forEach((value, index) => {
    if (value === null) {
      return;
    }
    if (index === 0 || values[index - 1] === null) {
      began = index;
    }
    const ends = index === values.length - 1 || values[index + 1] === null;
    if (began === index && ends) {
      const [from, to] = [round(Math.max(0, x(index) - alone)), round(Math.min(100, x(index) + alone))];
      line += `M${from} ${y(value)}L${to} ${y(value)}`;
      area += `M${from} 20L${from} ${y(value)}L${to} ${y(value)}L${to} 20Z`;
      return;
    }
    line += `${began === index ? "M" : "L"}${x(index)} ${y(value)}`;
    area += `${began === index ? `M${x(index)} 20L` : "L"}${x(index)} ${y(value)}`;
    if (ends) {
      area += `L${x(index)} 20Z`;
    }
  });
  return { line, area };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
