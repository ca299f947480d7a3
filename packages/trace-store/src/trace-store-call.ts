import { formatTraceContext, startChild } from "lifecycle";

/** The kind of a statement. The statement's values are left out, because they may be private data of users. */
function statementKind(sql: string): string {
  const word = /^[\s(]*([a-z]+)/i.exec(sql)?.[1]?.toUpperCase() ?? "QUERY";
  return word === "WITH" ? "SELECT" : word;
}

/**
 * Starts a span for a call of ClickHouse, as a child of the active span. @returns undefined when there is no active
 * span
 */
export function traceStoreCall(
  sql: string,
): { readonly traceparent: string; end(error?: unknown): void } | undefined {
  const operation = statementKind(sql);
  const span = startChild(operation, "client", {
    "db.system.name": "clickhouse",
    "db.operation.name": operation,
  });
  return (
    span && {
      traceparent: formatTraceContext(span.context),
      end: (error) => span.end(error !== undefined),
    }
  );
}
