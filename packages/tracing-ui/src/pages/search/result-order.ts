import type { ServiceCount, TraceSummary } from "../../trace/summarise-trace.ts";
import type { Sort } from "./search-address.ts";

const measures: Record<Sort, (row: TraceSummary) => number> = {
  newest: (row) => row.startUs,
  longest: (row) => row.durationUs,
  spans: (row) => row.spans,
};

/** The results in the order asked for, largest first; equal ones the newest first. */
export function sortResults(results: readonly TraceSummary[], sort: Sort): TraceSummary[] {
  const measure = measures[sort];
  return results.toSorted((a, b) => measure(b) - measure(a) || b.startUs - a.startUs);
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
