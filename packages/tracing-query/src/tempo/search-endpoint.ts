import type { ReadOptions, TraceQlSearch } from "storage/api";
import type { Endpoint } from "../http/endpoint.ts";
import { checkSearchSize } from "../service/answer-size.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, type ReadLimits } from "../service/read-limits.ts";
import { searchJson } from "./search-json.ts";
import { parseSearchParams } from "./search-params.ts";

/**
 * Traces by TraceQL, or by tags. HTTP and gRPC share it.
 * @throws QueryError QUERY_BAD_PARAMETER, also above --query.max-traces; QUERY_TOO_LARGE above
 * --query.max-answer-size
 */
export async function findTraces(
  service: QueryService,
  limits: ReadLimits,
  params: URLSearchParams,
  read: ReadOptions,
): Promise<TraceQlSearch> {
  const search = parseSearchParams(params, Date.now(), limits);
  const { range, limit } = search;
  checkLimits(
    { limit, startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano },
    limits,
  );
  const found = await service.search.search(search, read);
  checkSearchSize(found, limits);
  return found;
}

/**
 * `GET /tempo/api/search`, in the form of Tempo 2.9. The newest traces come first.
 *
 * ```
 * GET /tempo/api/search?q={status=error}&limit=5
 * {"traces":[{"traceID":"71a8…","rootServiceName":"shop","rootTraceName":"GET /",
 *             "startTimeUnixNano":"1795967689000000000","durationMs":100,
 *             "spanSet":{"spans":[{"spanID":"…a3","name":"SELECT",…}],"matched":1},"spanSets":[…],"serviceStats":{…}}],
 *  "metrics":{…}}
 * ```
 *
 * Errors: 400 with line and column, such as `invalid TraceQL query: parse error at line 1, col 12: unknown
 * identifier: eror`; 413 for a large answer; 501 from a store without TraceQL.
 */
export function searchEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) =>
    searchJson(await findTraces(service, limits, params, read), read.reasons.partial);
}
