import type { PackedTrace, ReadOptions } from "storage/api";
import { QueryError } from "../query-error.ts";
import { largeTraceSpans } from "./large-trace-semaphore.ts";
import type { QueryService } from "./query-service.ts";
import { checkSpans, type ReadLimits } from "./read-limits.ts";

/** A trace that exists in the store. */
export interface BegunTrace {
  /** True: the trace is large, and some spans may not have been read yet. */
  readonly isLarge: boolean;
  /** Rejects when the read fails. If the answer to the client has begun, the answer breaks off. */
  readonly trace: Promise<PackedTrace>;
}

/**
 * Resolves when the trace is known to exist, so that the answer can begin.
 * @throws QueryError QUERY_TRACE_NOT_FOUND, QUERY_TOO_LARGE; StorageError
 */
export async function beginTrace(
  service: QueryService,
  traceId: string,
  limits: ReadLimits,
  read: ReadOptions,
): Promise<BegunTrace> {
  const begun = Promise.withResolvers<"begun">();
  const found = service.traces.getPackedTraces([traceId], read, (spans) => {
    // A trace over the limit is refused only after the read has ended.
    if (spans > largeTraceSpans && spans <= limits.maxSpans) {
      begun.resolve("begun");
    }
  });
  const trace = found.then((traces) => {
    const [first] = traces;
    if (first === undefined) {
      throw new QueryError("QUERY_TRACE_NOT_FOUND", "trace not found");
    }
    checkSpans(traces, limits);
    return first;
  });
  // A client that disconnects earlier never awaits this promise.
  trace.catch(() => {});
  const first = await Promise.race([trace, begun.promise]);
  return { isLarge: first === "begun" || first.spans.length > largeTraceSpans, trace };
}
