// Spans and tags for the tests of the adjusters and of the JSON writer.
import { type ApiV2Span, type KeyValue, type SpanRef, SpanRefType, ValueType } from "wire/api-v2";
import { toTimestamp } from "wire/api-v2/nano-times";

export const sampleTraceId = "000000000000000000000000000000aa";

const noValue = { vStr: "", vBool: false, vInt64: 0n, vFloat64: 0, vBinary: Buffer.alloc(0) };

/** A tag of the type that the JavaScript value suggests: bigint is int64, number is float64, bytes are binary. */
export function tag(key: string, value: string | boolean | bigint | number | Buffer): KeyValue {
  switch (typeof value) {
    case "string":
      return { ...noValue, key, vType: ValueType.STRING, vStr: value };
    case "boolean":
      return { ...noValue, key, vType: ValueType.BOOL, vBool: value };
    case "bigint":
      return { ...noValue, key, vType: ValueType.INT64, vInt64: value };
    case "number":
      return { ...noValue, key, vType: ValueType.FLOAT64, vFloat64: value };
    default:
      return { ...noValue, key, vType: ValueType.BINARY, vBinary: value };
  }
}

/** The 8 bytes of a span id. */
export function spanId(id: number): Buffer {
  return Buffer.from(id.toString(16).padStart(16, "0"), "hex");
}

export function childOf(id: number, traceId = sampleTraceId): SpanRef {
  return { traceId: Buffer.from(traceId, "hex"), spanId: spanId(id), refType: SpanRefType.CHILD_OF };
}

export function followsFrom(id: number, traceId = sampleTraceId): SpanRef {
  return { ...childOf(id, traceId), refType: SpanRefType.FOLLOWS_FROM };
}

interface SampleSpan extends Partial<Omit<ApiV2Span, "spanId" | "startTime" | "duration">> {
  readonly id?: number;
  /** Start in nanoseconds since the Unix epoch. */
  readonly start?: bigint;
  /** Duration in nanoseconds. */
  readonly length?: bigint;
}

/** A span of `sampleTraceId`, with the fields that the test names. */
export function span({ id = 1, start = 0n, length = 0n, ...rest }: SampleSpan = {}): ApiV2Span {
  return {
    traceId: Buffer.from(sampleTraceId, "hex"),
    spanId: spanId(id),
    operationName: "op",
    references: [],
    flags: 0,
    startTime: toTimestamp(start),
    duration: { seconds: length / 1_000_000_000n, nanos: Number(length % 1_000_000_000n) },
    tags: [],
    logs: [],
    process: { serviceName: "service", tags: [] },
    processId: "",
    warnings: [],
    ...rest,
  };
}
