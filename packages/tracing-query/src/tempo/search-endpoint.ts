import type { Endpoint } from "../http/endpoint.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, type ReadLimits } from "../service/read-limits.ts";
import { searchJson } from "./search-json.ts";
import { parseSearchParams } from "./search-params.ts";

/** `GET /api/search`: traces by TraceQL, or by tags. */
export function searchEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const search = parseSearchParams(params, Date.now(), limits);
    const { range, limit } = search;
    checkLimits(
      { limit, startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano },
      limits,
    );
    return searchJson(await service.search.search(search, read));
  };
}
