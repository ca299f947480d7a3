import type { PackedTrace, ReadOptions } from "storage/api";
import { QueryError } from "../query-error.ts";
import type { QueryService } from "./query-service.ts";
import { checkSpans, type ReadLimits } from "./read-limits.ts";
import { largeTraceSpans } from "./trace-room.ts";

/** A trace that the store has. */
export interface BegunTrace {
  /** Whether it is a large one, of which not all spans may be there yet. */
  readonly isLarge: boolean;
  /** Rejects where the store breaks off; what was sent of the answer breaks off then, too. */
  readonly trace: Promise<PackedTrace>;
}

/**
 * A trace as soon as it is known that it is there, and may be sent.
 * @throws QueryError QUERY_TRACE_NOT_FOUND, QUERY_TOO_LARGE; StorageError
 */
export async function beginTrace(
  service: QueryService,
  traceId: string,
  limits: ReadLimits,
  read: ReadOptions,
): Promise<BegunTrace> {
  const begun = Promise.withResolvers<"begun">();
  const found = service.getPackedTraces([traceId], read, (spans) => {
    // One that is over the limit is refused, once all is known.
    if (spans > largeTraceSpans && spans <= limits.maxSpans) begun.resolve("begun");
  });
  const trace = found.then((traces) => {
    const [first] = traces;
    if (first === undefined) throw new QueryError("QUERY_TRACE_NOT_FOUND", "trace not found");
    checkSpans(traces, limits);
    return first;
  });
  // Whoever closes the connection before asks for no spans.
  trace.catch(() => {});
  const first = await Promise.race([trace, begun.promise]);
  return { isLarge: first === "begun" || first.spans.length > largeTraceSpans, trace };
}
