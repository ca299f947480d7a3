import type { TraceQuery } from "storage/api";
import type { TraceQueryParameters } from "wire/storage-v1";

const nanosPerSecond = 1_000_000_000n;

/** Go's zero time in seconds, which is in the year 1; Go clients send it for a time that is not set. */
const goZeroSeconds = -62_135_596_800n;

/** Default limit of traces in a search, as in most of the public model's stores. */
const defaultLimit = 100;

type Timestamp = NonNullable<TraceQueryParameters["startTimeMin"]>;

/** The search of a request. Times and durations that are absent, or Go's zero, mean no bound. */
export function traceQueryOf(parameters: TraceQueryParameters): TraceQuery {
  const startMin = timeOf(parameters.startTimeMin);
  const startMax = timeOf(parameters.startTimeMax);
  return {
    service: parameters.serviceName,
    operation: parameters.operationName,
    tags: new Map(Object.entries(parameters.tags)),
    ...(startMin === undefined ? {} : { startTimeMinUnixNano: startMin }),
    ...(startMax === undefined ? {} : { startTimeMaxUnixNano: startMax }),
    durationMinNano: nanosOf(parameters.durationMin),
    durationMaxNano: nanosOf(parameters.durationMax),
    limit: parameters.numTraces > 0 ? parameters.numTraces : defaultLimit,
  };
}

/** Nanoseconds since the Unix epoch; undefined when no time was set. */
export function timeOf(time: Timestamp | undefined): bigint | undefined {
  return time === undefined || time.seconds === goZeroSeconds ? undefined : nanosOf(time);
}

function nanosOf(time: Timestamp | undefined): bigint {
  return time === undefined ? 0n : time.seconds * nanosPerSecond + BigInt(time.nanos);
}
