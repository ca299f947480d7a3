import type { TraceQuery } from "storage/api";
import type { TraceQueryParameters } from "wire/api-v2";
import { defaultSearchLimit } from "../service/read-limits.ts";
import { nanosOf } from "../service/span-time.ts";

/** Converts the parameters of `FindTraces` to a search. An absent time or duration means no limit. */
export function queryOf(parameters: TraceQueryParameters): TraceQuery {
  const { startTimeMin, startTimeMax, searchDepth } = parameters;
  return {
    service: parameters.serviceName,
    operation: parameters.operationName,
    tags: new Map(Object.entries(parameters.tags)),
    ...(startTimeMin === undefined ? {} : { startTimeMinUnixNano: nanosOf(startTimeMin) }),
    ...(startTimeMax === undefined ? {} : { startTimeMaxUnixNano: nanosOf(startTimeMax) }),
    durationMinNano: nanosOf(parameters.durationMin),
    durationMaxNano: nanosOf(parameters.durationMax),
    limit: searchDepth > 0 ? searchDepth : defaultSearchLimit,
  };
}
