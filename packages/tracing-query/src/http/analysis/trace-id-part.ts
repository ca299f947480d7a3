import type { PackedTrace } from "storage/api";
import { parseTraceId } from "wire/api-v2";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import type { QueryService } from "../../service/query-service.ts";
import { checkSpans, type ReadLimits } from "../../service/read-limits.ts";
import type { EndpointRequest } from "../endpoint.ts";

/** A trace id in a URL or in JSON. */
export const traceIdSchema = z
  .string()
  .min(1)
  .max(32)
  .regex(/^[0-9a-fA-F]+$/)
  .describe("Up to 32 hex digits; zeros in front may be missing.");

/** The part of a path that identifies a trace. */
export const traceIdPart = z.strictObject({ traceId: traceIdSchema });

/** @throws QueryError QUERY_BAD_PARAMETER */
export function traceIdOf(text: string, parameter: string): string {
  try {
    return parseTraceId(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QueryError("QUERY_BAD_PARAMETER", `parameter '${parameter}' is no trace id: ${reason}`, {
      parameter,
      cause: error,
    });
  }
}

/** Name of the ID parameter, and limits of the read. */
interface TraceRead {
  /** Name of the parameter, for messages. */
  readonly parameter: string;
  /** Maximum number of spans and bytes that are read. */
  readonly limits: ReadLimits;
  /** Tenant and abort signal of the request. */
  readonly read: EndpointRequest["read"];
}

/** @throws QueryError QUERY_BAD_PARAMETER, QUERY_TRACE_NOT_FOUND, QUERY_TOO_LARGE */
export async function readTrace(
  service: QueryService,
  text: string,
  { parameter, limits, read }: TraceRead,
): Promise<PackedTrace> {
  const traces = await service.traces.getPackedTraces([traceIdOf(text, parameter)], read);
  const [trace] = traces;
  if (trace === undefined) {
    throw new QueryError("QUERY_TRACE_NOT_FOUND", "trace not found", { parameter });
  }
  checkSpans(traces, limits);
  return trace;
}
