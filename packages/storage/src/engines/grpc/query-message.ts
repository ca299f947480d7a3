import type { TraceQueryParameters } from "wire/storage-v1";
import { stringAttribute, type TraceQueryParameters as TraceQueryParametersV2 } from "wire/storage-v2";
import type { TraceQuery } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";

const nanosPerSecond = 1_000_000_000n;

/**
 * Smallest second of `google.protobuf.Timestamp`, whose range is the years 1 to 9999. Go's servers refuse the first
 * second of year 1, so it is excluded.
 */
const firstSecond = -62_135_596_799n;
const lastSecond = 253_402_300_799n;

/** Maximum number of traces that a request can ask for: the field is an int32. */
const maxTraces = 2 ** 31 - 1;

type Timestamp = NonNullable<TraceQueryParameters["startTimeMin"]>;

/**
 * Converts a search to the message of version 1. Absent bounds stay absent. Kind and error become tags of the older
 * span model.
 * @throws StorageError STORAGE_UNSUPPORTED for a search of spans without an error, because the API has no such search
 */
export function queryMessage(query: TraceQuery): TraceQueryParameters {
  return {
    ...commonFields(query),
    tags: Object.fromEntries(tagsOf(query)),
    numTraces: Math.min(query.limit, maxTraces),
  };
}

/** Like `queryMessage`, for version 2. Tags become attributes with a text, which servers compare with every type. */
export function queryMessageV2(query: TraceQuery): TraceQueryParametersV2 {
  return {
    ...commonFields(query),
    attributes: [...tagsOf(query)].map(([key, value]) => stringAttribute(key, value)),
    searchDepth: Math.min(query.limit, maxTraces),
    filter: undefined,
  };
}

function tagsOf(query: TraceQuery): Map<string, string> {
  const tags = new Map(query.tags);
  if (query.spanKind !== undefined) {
    tags.set("span.kind", query.spanKind);
  }
  if (query.hasError === true) {
    tags.set("error", "true");
  }
  if (query.hasError === false) {
    throw new StorageError(
      "STORAGE_UNSUPPORTED",
      "the remote-storage API cannot search for spans without an error",
    );
  }
  return tags;
}

function commonFields(query: TraceQuery): Omit<TraceQueryParameters, "tags" | "numTraces"> {
  return {
    serviceName: query.service ?? "",
    operationName: query.operation ?? "",
    startTimeMin: timestampOf(query.startTimeMinUnixNano),
    startTimeMax: timestampOf(query.startTimeMaxUnixNano),
    durationMin: durationOf(query.durationMinNano),
    durationMax: durationOf(query.durationMaxNano),
  };
}

/** Converts nanoseconds since the Unix epoch to a timestamp, limited to the range of timestamps. */
export function timestampOf(unixNano: bigint | undefined): Timestamp | undefined {
  if (unixNano === undefined) {
    return undefined;
  }
  const nanos = ((unixNano % nanosPerSecond) + nanosPerSecond) % nanosPerSecond;
  const seconds = (unixNano - nanos) / nanosPerSecond;
  if (seconds < firstSecond) {
    return { seconds: firstSecond, nanos: 0 };
  }
  if (seconds > lastSecond) {
    return { seconds: lastSecond, nanos: 999_999_999 };
  }
  return { seconds, nanos: Number(nanos) };
}

function durationOf(nano: bigint | undefined): TraceQueryParameters["durationMin"] {
  if (nano === undefined || nano === 0n) {
    return undefined;
  }
  return { seconds: nano / nanosPerSecond, nanos: Number(nano % nanosPerSecond) };
}
