import type { PackedTrace } from "storage/api";
import { readTrace, traceIdSchema } from "../../http/analysis/trace-id-part.ts";
import type { ToolContext } from "../tool.ts";

/** The argument of every tool that reads one trace. */
export const traceArguments = {
  trace_id: traceIdSchema.describe("Of the trace: up to 32 hex digits."),
};

/**
 * Reads the trace that a tool names. @throws QueryError QUERY_TRACE_NOT_FOUND, QUERY_TOO_LARGE past
 * --query.max-spans
 */
export function traceOf(traceId: string, { service, limits, read }: ToolContext): Promise<PackedTrace> {
  return readTrace(service, traceId, { parameter: "trace_id", limits, read });
}
