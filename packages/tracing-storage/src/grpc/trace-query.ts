import { type DependencyQuery, StorageError, type TraceQuery } from "storage/api";
import type { TraceQueryParameters } from "wire/storage-v1";
import { type TraceQueryParameters as TraceQueryParametersV2, textOfAttribute } from "wire/storage-v2";

const nanosPerSecond = 1_000_000_000n;

/** Go's zero time in seconds, which is in the year 1; Go clients send it for a time that is not set. */
const goZeroSeconds = -62_135_596_800n;

/** Default limit of traces in a search, as in most of Jaeger's stores. */
const defaultLimit = 100;

type Timestamp = NonNullable<TraceQueryParameters["startTimeMin"]>;

/** Fields of a search that both versions have. */
type CommonParameters = Omit<TraceQueryParameters, "tags" | "numTraces">;

/** The search of a request. Times and durations that are absent, or Go's zero, mean no bound. */
export function traceQueryOf(parameters: TraceQueryParameters): TraceQuery {
  return {
    ...commonQuery(parameters),
    tags: new Map(Object.entries(parameters.tags)),
    limit: limitOf(parameters.numTraces),
  };
}

/**
 * The search of a request of version 2. An attribute's value is compared as text, whatever its type.
 * @throws StorageError STORAGE_BAD_QUERY without a query, and for a structured filter, which this server does not offer
 */
export function traceQueryOfV2(parameters: TraceQueryParametersV2 | undefined): TraceQuery {
  if (parameters === undefined) {
    throw new StorageError("STORAGE_BAD_QUERY", "missing query");
  }
  if (parameters.filter !== undefined) {
    const message = "query.filter: structured filters are not supported; use service_name and attributes";
    throw new StorageError("STORAGE_BAD_QUERY", message);
  }
  return {
    ...commonQuery(parameters),
    tags: new Map(parameters.attributes.map(textOfAttribute).map(({ key, text }) => [key, text])),
    limit: limitOf(parameters.searchDepth),
  };
}

/** The times of a request for dependencies. An absent start means no bound; an absent end means now. */
export function dependencyQueryOf(times: {
  readonly startTime?: Timestamp | undefined;
  readonly endTime?: Timestamp | undefined;
}): DependencyQuery {
  return {
    startUnixNano: timeOf(times.startTime) ?? 0n,
    endUnixNano: timeOf(times.endTime) ?? BigInt(Date.now()) * 1_000_000n,
  };
}

function commonQuery(parameters: CommonParameters): Omit<TraceQuery, "limit"> {
  const startMin = timeOf(parameters.startTimeMin);
  const startMax = timeOf(parameters.startTimeMax);
  return {
    service: parameters.serviceName,
    operation: parameters.operationName,
    ...(startMin === undefined ? {} : { startTimeMinUnixNano: startMin }),
    ...(startMax === undefined ? {} : { startTimeMaxUnixNano: startMax }),
    durationMinNano: nanosOf(parameters.durationMin),
    durationMaxNano: nanosOf(parameters.durationMax),
  };
}

function limitOf(wanted: number): number {
  return wanted > 0 ? wanted : defaultLimit;
}

/** Nanoseconds since the Unix epoch; undefined when no time was set. */
function timeOf(time: Timestamp | undefined): bigint | undefined {
  return time === undefined || time.seconds === goZeroSeconds ? undefined : nanosOf(time);
}

function nanosOf(time: Timestamp | undefined): bigint {
  return time === undefined ? 0n : time.seconds * nanosPerSecond + BigInt(time.nanos);
}
