import { parseTraceId } from "wire/api-v2/id-texts";
import { isTrue } from "../go-text/parse-number.ts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import { beginTrace } from "../service/begun-trace.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import type { Endpoint } from "./endpoint.ts";
import { slowEnvelope } from "./envelope.ts";
import type { SharedJson } from "./shared-json.ts";
import { sentTracesJson, shownTracesJson } from "./shown-traces-json.ts";

/**
 * `GET /api/traces/{id}`, in the form of Jaeger 1.62; with `raw=true` without adjusters. The answer has the form of a
 * search with one trace. Errors: 400 for an id that is not hex, 404 `trace not found`, 413 above --query.max-spans.
 */
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

/**
 * `POST /api/archive/{id}`: keeps a trace beyond retention, in the form of Jaeger 1.62. Errors: 404 `trace not found`,
 * 500 `archive span storage was not configured`, which is Jaeger's status.
 *
 * ```
 * POST /api/archive/71a81d73ce7902db83be4d12250bd874
 * {"data":[],"total":0,"limit":0,"offset":0,"errors":[]}
 * ```
 */
export function archiveEndpoint(service: QueryService): Endpoint {
  return async ({ pathPart, read }) => {
    await service.archiveTrace(parseTraceId(pathPart("traceId")), read);
    return ['{"data":[],"total":0,"limit":0,"offset":0,"errors":[]}'];
  };
}
