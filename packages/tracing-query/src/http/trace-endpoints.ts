import type { PackedTrace } from "storage/api";
import { parseTraceId, traceIdText } from "wire/api-v2/trace-id-text";
import { isTrue } from "../go-text/parse-number.ts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { beginTrace } from "../service/begun-trace.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, checkSpans, checkTraceIds, type ReadLimits } from "../service/read-limits.ts";
import { largeTraceSpans } from "../service/trace-room.ts";
import type { Endpoint } from "./endpoint.ts";
import { slowEnvelope } from "./envelope.ts";
import { parseSearchParams } from "./search-params.ts";
import type { SharedJson } from "./shared-json.ts";
import { type ShownTrace, sentTracesJson, shownTracesJson } from "./shown-traces-json.ts";

/** Takes each trace out of `traces` as it is shown, so that its memory is freed early. */
function* shown(traces: PackedTrace[]): Generator<ShownTrace> {
  traces.reverse();
  for (let trace = traces.pop(); trace !== undefined; trace = traces.pop()) {
    const { traceId, spans } = trace;
    yield { traceId, isLarge: spans.length > largeTraceSpans, trace };
  }
}

/** `GET /api/traces`: a search, or the traces with the given ids. `errors` lists missing ids. */
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
      const traces = await service.findPackedTraces(query, read);
      checkSpans(traces, limits);
      return slowEnvelope(shownTracesJson(shown(traces), options, shared), read);
    }
    checkTraceIds(traceIds, limits);
    const traces = await service.getPackedTraces(traceIds, read);
    checkSpans(traces, limits);
    const found = new Set(traces.map(({ traceId }) => traceId));
    const missing = traceIds.filter((id) => !found.has(id));
    return slowEnvelope(shownTracesJson(shown(traces), options, shared), {
      reasons: read.reasons,
      errors: missing.map((id) => ({ msg: "trace not found", traceID: traceIdText(id) })),
    });
  };
}

/** `GET /api/traces/{id}`; with `raw=true` without adjusters. */
export function traceEndpoint(
  service: QueryService,
  options: AdjustOptions,
  limits: ReadLimits,
  shared: SharedJson,
): Endpoint {
  return async ({ params, pathPart, read }) => {
    const traceId = parseTraceId(pathPart("traceId"));
    const traces = [{ traceId, ...(await beginTrace(service, traceId, limits, read)) }];
    const isRaw = isTrue(params.get("raw") ?? "");
    return slowEnvelope<string | Uint8Array>(
      isRaw ? sentTracesJson(traces) : shownTracesJson(traces, options, shared),
      read,
    );
  };
}

/** `POST /api/archive/{id}` */
export function archiveEndpoint(service: QueryService): Endpoint {
  return async ({ pathPart, read }) => {
    await service.archiveTrace(parseTraceId(pathPart("traceId")), read);
    return ['{"data":[],"total":0,"limit":0,"offset":0,"errors":[]}'];
  };
}
