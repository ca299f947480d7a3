import { buildTrace } from "../trace/build-trace.ts";
import type { Trace } from "../trace/trace.ts";

/** A span in short form: id, parent, start and duration in microseconds, operation, service, and true for a failed span. */
export type ShortSpan = readonly [
  id: string,
  parent: string | undefined,
  startUs: number,
  us: number,
  operation?: string,
  service?: string,
  failed?: boolean,
];

/** Builds a trace for tests from spans in short form. The trace starts with its first span. */
export function traceOf(spans: readonly ShortSpan[]): Trace {
  const services = [...new Set(spans.map(([, , , , , service = "s"]) => service))];
  return buildTrace({
    traceID: "t",
    processes: Object.fromEntries(services.map((serviceName) => [serviceName, { serviceName, tags: [] }])),
    spans: spans.map(
      ([spanID, parent, startTime, duration, operationName = "op", service = "s", failed]) => ({
        traceID: "t",
        spanID,
        operationName,
        references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parent }],
        startTime,
        duration,
        tags: failed === true ? [{ key: "error", type: "bool", value: true }] : [],
        logs: [],
        processID: service,
        warnings: null,
      }),
    ),
  });
}
