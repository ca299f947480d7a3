import type { OperationSummary, TopOperationsQuery } from "./analysis-reader.ts";

/** Sorts operations in the query's order and keeps the first `limit`. */
export function firstOperations(
  summaries: readonly OperationSummary[],
  { order = "duration", limit }: TopOperationsQuery,
): OperationSummary[] {
  const value = ({ calls, errors, durationNano, p95Nano }: OperationSummary) =>
    ({ calls, errors, duration: durationNano, p95: p95Nano })[order];
  const name = ({ service, operation, spanKind }: OperationSummary) =>
    JSON.stringify([service, operation, spanKind]);
  return [...summaries]
    .sort((one, other) => value(other) - value(one) || (name(one) < name(other) ? -1 : 1))
    .slice(0, limit);
}
