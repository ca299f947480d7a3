import type { RateRow } from "../../api/rates.ts";

/** The search for the traces behind a figure, as fields of the search address. */
export type TracesSearch = Record<string, string>;

/**
 * The search for the traces that a cell counts.
 * @param column `errors`: failed traces; `p50` to `p99`: traces with about this duration or longer
 */
export function tracesOfCell(
  { service, operation, whole }: RateRow,
  column: "calls" | "errors" | "p50" | "p95" | "p99",
  lookback: string,
): TracesSearch {
  const search: TracesSearch = { service, lookback };
  if (operation !== "") {
    search.operation = operation;
  }
  if (column === "errors") {
    search.tags = "error=true";
  }
  // Percentiles are accurate to 10 %, so the search starts 10 % below, or it would miss matching spans.
  else if (column !== "calls") {
    search.minDuration = `${Math.max(1, Math.floor(whole[column] * 0.9))}us`;
  }
  return search;
}

/**
 * The search for the traces of a step of a curve.
 * @param times ends of the steps, milliseconds since 1970
 * @param at    index of the step
 */
export function tracesOfStep(
  { service, operation }: RateRow,
  times: readonly number[],
  at: number,
  failed: boolean,
): TracesSearch {
  const end = times[at] ?? 0;
  const step = (times[1] ?? end + 60_000) - (times[0] ?? end);
  const search: TracesSearch = {
    ...{ service, lookback: "custom" },
    start: String((times[at - 1] ?? end - step) * 1_000),
    end: String(end * 1_000),
  };
  if (operation !== "") {
    search.operation = operation;
  }
  if (failed) {
    search.tags = "error=true";
  }
  return search;
}
