/** Values at equal time steps; null for an unknown value. */
export type Samples = readonly (number | null)[];

/** Half the width of the line for a value between two gaps, in the box of 100. A point would be invisible. */
const alone = 0.8;

/**
 * SVG paths of a curve in a box of 100 by 20, and of the area below the curve. Gaps stay gaps.
 * @param most the value at the top of the box; with 0 the curve is at the bottom
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
