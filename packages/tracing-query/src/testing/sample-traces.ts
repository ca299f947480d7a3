// Two traces for tests of the analysis.
import type { Span } from "wire/model";
import { otlpSpan, sampleTraceId, shortTraceId } from "../service/sample-store.ts";

/** In milliseconds since the Unix epoch: half an hour ago, on a whole second. */
export const sampleStartMs = Math.floor(Date.now() / 1_000) * 1_000 - 1_800_000;

/** The root span of the first trace. */
export const rootSpanId = "00000000000000a1";

const msNano = 1_000_000n;

function at(ms: number): bigint {
  return BigInt(sampleStartMs + ms) * msNano;
}

/**
 * `shop GET /` calls `db SELECT`. The first trace (100 ms) has two calls, one of them with an error. The second trace
 * (20 ms) has one quick call.
 */
export const sampleTraces: readonly Span[] = [
  otlpSpan({
    spanId: rootSpanId,
    startTimeUnixNano: at(0),
    durationNano: 100n * msNano,
    attributes: [{ key: "region", value: { type: "string", value: "west" } }],
  }),
  otlpSpan({
    spanId: "00000000000000a2",
    parentSpanId: rootSpanId,
    ...{ service: "db", name: "SELECT", kind: "client" },
    startTimeUnixNano: at(10),
    durationNano: 30n * msNano,
  }),
  otlpSpan({
    spanId: "00000000000000a3",
    parentSpanId: rootSpanId,
    ...{ service: "db", name: "SELECT", kind: "client" },
    startTimeUnixNano: at(40),
    durationNano: 50n * msNano,
    status: { code: "error", message: "no such table" },
  }),
  otlpSpan({
    traceId: shortTraceId,
    spanId: "00000000000000b1",
    startTimeUnixNano: at(10_000),
    durationNano: 20n * msNano,
    attributes: [{ key: "region", value: { type: "string", value: "east" } }],
  }),
  otlpSpan({
    traceId: shortTraceId,
    spanId: "00000000000000b2",
    parentSpanId: "00000000000000b1",
    ...{ service: "db", name: "SELECT", kind: "client" },
    startTimeUnixNano: at(10_005),
    durationNano: 5n * msNano,
  }),
];

export { sampleTraceId, shortTraceId };
