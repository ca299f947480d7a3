import { type Figure, formatFigure } from "./figure.ts";

/** One column of the table, such as a system under one kind of load. */
export interface Column {
  readonly title: string;
  readonly figures: readonly Figure[];
}

/** A column with the ratios of our values to a peer's. */
export interface RatioColumn {
  readonly title: string;
  readonly ours: Column;
  readonly peer: Column;
}

/**
 * Results with the same label are in one line; lines are in the order of the first column that has them.
 * @returns aligned lines of text, each with a line break
 */
export function renderTable(columns: readonly Column[], ratios: readonly RatioColumn[] = []): string {
  const labels = [...new Set(columns.flatMap((column) => column.figures.map(({ label }) => label)))];
  const rows = labels.map((label) => [
    label,
    ...columns.map((column) => cell(column, label)),
    ...ratios.map((ratio) => ratioCell(ratio, label)),
  ]);
  const header = ["", ...columns.map(({ title }) => title), ...ratios.map(({ title }) => title)];
  const widths = header.map((title, index) =>
    Math.max(title.length, ...rows.map((row) => row[index]!.length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) => (index === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[index]!)))
      .join("  ");
  return [header, ...rows].map((cells) => `${line(cells).trimEnd()}\n`).join("");
}

function figureOf({ figures }: Column, label: string): Figure | undefined {
  return figures.find((figure) => figure.label === label);
}

function cell(column: Column, label: string): string {
  const figure = figureOf(column, label);
  return figure === undefined ? "" : formatFigure(figure);
}

function ratioCell({ ours, peer }: RatioColumn, label: string): string {
  const [our, theirs] = [figureOf(ours, label), figureOf(peer, label)];
  if (our?.compared !== true || theirs === undefined || theirs.value === 0) {
    return "";
  }
  return (our.value / theirs.value).toPrecision(2);
}
