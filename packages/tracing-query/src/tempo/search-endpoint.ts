import type { ReadOptions, TraceQlSearch } from "storage/api";
import type { Endpoint } from "../http/endpoint.ts";
import { checkSearchSize } from "../service/answer-size.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, type ReadLimits } from "../service/read-limits.ts";
import { searchJson } from "./search-json.ts";
import { parseSearchParams } from "./search-params.ts";

/** Traces by TraceQL, or by tags. */
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

/** `GET /api/search` */
export function searchEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) =>
    searchJson(await findTraces(service, limits, params, read), read.reasons.partial);
}
