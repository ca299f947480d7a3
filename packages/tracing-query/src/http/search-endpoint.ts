import type { PackedTrace } from "storage/api";
import { traceIdText } from "wire/api-v2/id-texts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { largeTraceSpans } from "../service/large-trace-semaphore.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, checkTraceIds, type ReadLimits } from "../service/read-limits.ts";
import type { Endpoint } from "./endpoint.ts";
import { slowEnvelope } from "./envelope.ts";
import { parseSearchParams } from "./search-params.ts";
import type { SharedJson } from "./shared-json.ts";
import { type ShownTrace, shownTracesJson } from "./shown-traces-json.ts";

/** Removes each trace from `traces` when it is written, so that its memory is freed early. */
function* shown(traces: PackedTrace[]): Generator<ShownTrace> {
  traces.reverse();
  for (let trace = traces.pop(); trace !== undefined; trace = traces.pop()) {
    const { traceId, spans } = trace;
    yield { traceId, isLarge: spans.length > largeTraceSpans, trace };
  }
}

/**
 * `GET /api/traces`: a search, or the traces with the given ids, in the form of Jaeger 1.62.
 *
 * ```
 * GET /api/traces?service=shop&tag=region:west&limit=20
 * {"data":[{"traceID":"71a8…","spans":[{"traceID":"71a8…","spanID":"00000000000000a1","operationName":"GET /",
 *   "references":[],"startTime":1795967689000000,"duration":100000,"tags":[…],"logs":[],"processID":"p1","warnings":null},…],
 *   "processes":{"p1":{"serviceName":"shop","tags":[]}},"warnings":null}],"total":0,"limit":0,"offset":0,"errors":null}
 * GET /api/traces?traceID=71a8…&traceID=1
 * {"data":[…],"errors":[{"msg":"trace not found","traceID":"0000000000000001"}],…}
 * ```
 *
 * Errors: 400 for a missing service or a malformed parameter, and past --query.max-traces or
 * --query.max-time-range; 413 past --query.max-spans; 503 while too many requests wait.
 */
export function searchEndpoint(
  service: QueryService,
  options: AdjustOptions,
  limits: ReadLimits,
  shared: SharedJson,
): Endpoint {
  return async ({ params, read }) => {
    const { traceIds, query } = parseSearchParams(params, Date.now());
    if (traceIds.length === 0) {
      checkLimits(query, limits);
      const traces = await service.traces.findPackedTraces(query, read);
      checkSpans(traces, limits);
      return slowEnvelope(shownTracesJson(shown(traces), options, shared), read);
    }
    checkTraceIds(traceIds, limits);
    const traces = await service.traces.getPackedTraces(traceIds, read);
    checkSpans(traces, limits);
    const found = new Set(traces.map(({ traceId }) => traceId));
    const missing = traceIds.filter((id) => !found.has(id));
    return slowEnvelope(shownTracesJson(shown(traces), options, shared), {
      reasons: read.reasons,
      errors: missing.map((id) => ({ msg: "trace not found", traceID: traceIdText(id) })),
    });
  };
}
