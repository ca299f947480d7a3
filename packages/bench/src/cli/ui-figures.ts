/** A result as the measuring program prints it. */
interface UiFigure {
  name: string;
  unit: string;
  value: number;
  /** The project's limit; undefined for a result that only explains another one. */
  most?: number;
}

/**
 * Prints the results as a table: name, value, limit, and a mark for a value over its limit. @param text one JSON object
 * on each line
 */
export function renderUiFigures(text: string): string {
  const figures = text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as UiFigure);
  const width = Math.max(0, ...figures.map(({ name }) => name.length));
  return figures
    .map(({ name, unit, value, most }) => {
      const digits = value >= 100 ? 0 : 1;
      const allowed = most === undefined ? "" : `   at most ${most.toLocaleString("en")} ${unit}`;
      const over = most !== undefined && !(value <= most) ? "   OVER" : "";
      return `${name.padEnd(width)} ${value.toFixed(digits).padStart(9)} ${unit}${allowed}${over}\n`;
    })
    .join("");
}
