import type { Sort } from "../../searches/search-address.ts";
import type { ServiceCount, TraceSummary } from "../../trace/summarise-trace.ts";

/** Functions that read the figure of a column, by column name. Rows with the largest figure come first. */
const measures: Readonly<Record<string, (row: TraceSummary) => number>> = {
  newest: (row) => row.startUs,
  longest: (row) => row.durationUs,
  spans: (row) => row.spans,
  errors: (row) => row.errors,
};

/** Numbers in a text compare as numbers. */
const texts = new Intl.Collator("en", { numeric: true });

/**
 * The order after a click on a column header: by the column, or reversed when the column
 * orders already. `spans` becomes `-spans`, and `-spans` becomes `spans`.
 */
export function nextSort(column: string, current: Sort): Sort {
  return column === current ? `-${column}` : column;
}

/**
 * Sort direction of a column, for `aria-sort`. Figures begin with the largest, so their plain order is
 * descending.
 */
export function directionOf(column: string, current: Sort): "ascending" | "descending" | "none" {
  const isText = measures[column] === undefined;
  if (column === current) {
    return isText ? "ascending" : "descending";
  }
  return `-${column}` === current ? (isText ? "descending" : "ascending") : "none";
}

/**
 * Sorts the results: figures largest first, texts from a to z, and rows without a value last.
 * Among equal rows the newest comes first.
 */
export function sortResults(results: readonly TraceSummary[], sort: Sort): TraceSummary[] {
  const column = sort.replace(/^-/, "");
  const direction = column === sort ? 1 : -1;
  const measure = measures[column];
  if (measure !== undefined) {
    return results.toSorted((a, b) => direction * (measure(b) - measure(a)) || b.startUs - a.startUs);
  }
  const textOf = (row: TraceSummary) =>
    column === "root"
      ? `${row.rootService} ${row.rootOperation}`
      : (row.values?.[column.slice(1)]?.[0] ?? "");
  return results.toSorted((a, b) => {
    const [left, right] = [textOf(a), textOf(b)];
    const missing = Number(left === "") - Number(right === "");
    return missing || direction * texts.compare(left, right) || b.startUs - a.startUs;
  });
}

/** Spans and errors by service over all results, most spans first. */
export function serviceTotals(results: readonly TraceSummary[]): ServiceCount[] {
  const totals = new Map<string, ServiceCount>();
  for (const row of results) {
    for (const { name, spans, errors } of row.services) {
      const total = totals.get(name) ?? { name, spans: 0, errors: 0 };
      total.spans += spans;
      total.errors += errors;
      totals.set(name, total);
    }
  }
  return [...totals.values()].sort((a, b) => b.spans - a.spans || (a.name < b.name ? -1 : 1));
}
