import fc from "fast-check";
import type { PackedTrace } from "storage/api";
import { describe, expect, it } from "vitest";
import type { ApiV2Span } from "wire/api-v2";
import { type Attribute, type RefType, type Span, type SpanLink, spanFormats, spanKinds } from "wire/model";
import { toApiTrace } from "../api-trace.ts";
import { otlpSpan, sampleTraceId } from "../sample-store.ts";
import { type AdjustOptions, adjustTrace } from "./adjust-trace.ts";
import { adjustedSpans } from "./adjusted-spans.ts";

const id = (number: number) => number.toString(16).padStart(16, "0");
const text = (key: string, value: string): Attribute => ({ key, value: { type: "string", value } });
const int = (key: string, value: bigint): Attribute => ({ key, value: { type: "int", value } });

const hosts: readonly (readonly Attribute[])[] = [
  [],
  [text("ip", "10.0.0.1")],
  [int("ip", 167_772_161n)],
  [text("ip", "10.0.0.2"), text("ip", "10.0.0.1"), text("a", "b")],
];

const link = fc
  .record({
    to: fc.integer({ min: 0, max: 12 }),
    refType: fc.constantFrom<RefType>("none", "child_of", "follows_from"),
    traceId: fc.constantFrom(sampleTraceId, "0".repeat(32), "1".repeat(32)),
  })
  .map(
    ({ to, refType, traceId }): SpanLink => ({
      ...{ traceId, spanId: id(to), refType },
      ...{ traceState: "", attributes: [], droppedAttributesCount: 0, flags: 0 },
    }),
  );

const facts = fc.record({
  parent: fc.integer({ min: 0, max: 12 }),
  start: fc.oneof(
    { weight: 20, arbitrary: fc.bigInt({ min: 0n, max: 2_000n }) },
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  ),
  duration: fc.bigInt({ min: -10n, max: 1_000n }),
  host: fc.nat({ max: hosts.length - 1 }),
  format: fc.constantFrom(...spanFormats),
  kind: fc.constantFrom(...spanKinds),
  links: fc.array(link, { maxLength: 2 }),
  attributes: fc.array(
    fc.constantFrom(
      ...[text("z", "1"), text("b", "2"), int("peer.ipv4", 1n), text("telemetry.sdk.name", "x")],
      ...[text("span.kind", "client"), text("span.kind", "server")],
    ),
    { maxLength: 3 },
  ),
});

/** Spans with ids of their own, but for those that `shared` gives another one's. */
function spansOf(
  all: readonly (typeof facts extends fc.Arbitrary<infer T> ? T : never)[],
  shared: number,
): Span[] {
  return all.map(({ parent, start, duration, host, ...rest }, index) => ({
    ...otlpSpan({ service: `s${host}`, resourceAttributes: hosts[host] ?? [] }),
    ...rest,
    spanId: id(1 + (index < shared ? 0 : index)),
    parentSpanId: parent === 0 ? "" : id(parent),
    startTimeUnixNano: start,
    durationNano: duration,
    events: [
      {
        timeUnixNano: start,
        name: "e",
        attributes: [text("y", "1"), text("x", "2")],
        droppedAttributesCount: 0,
      },
    ],
  }));
}

/** As an engine that makes spans when they are asked for. */
function packed(spans: readonly Span[]): PackedTrace {
  return {
    traceId: sampleTraceId,
    spans: { length: spans.length, at: (index) => structuredClone(spans[index]) },
  };
}

async function adjusted(trace: PackedTrace, options: AdjustOptions | undefined): Promise<ApiV2Span[]> {
  return (await Array.fromAsync(adjustedSpans(trace, options))).flat();
}

function together(spans: readonly Span[], options: AdjustOptions): ApiV2Span[] {
  const trace = toApiTrace({ traceId: sampleTraceId, spans: structuredClone(spans) });
  adjustTrace(trace, options);
  return trace.spans;
}

describe("adjustedSpans", () => {
  it("does what adjustTrace does, though it sees some spans at a time", async () => {
    const input = fc.tuple(
      fc.array(facts, { minLength: 1, maxLength: 10 }),
      fc.nat({ max: 3 }),
      fc.constantFrom(0n, 100n, 5_000n),
    );
    await fc.assert(
      fc.asyncProperty(input, async ([all, shared, maxClockSkewNano]) => {
        const spans = spansOf(all, shared);
        const options = { maxClockSkewNano };
        expect(await adjusted(packed(spans), options)).toEqual(together(spans, options));
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the order of many spans, in a deep trace", async () => {
    const spans = Array.from({ length: 3_000 }, (_, index) => ({
      ...otlpSpan({ resourceAttributes: [text("ip", `10.0.0.${index % 3}`)] }),
      ...{
        spanId: id(index + 1),
        parentSpanId: index === 0 ? "" : id(index),
        startTimeUnixNano: BigInt(index % 7),
      },
    }));
    const options = { maxClockSkewNano: 1_000n };
    expect(await adjusted(packed(spans), options)).toEqual(together(spans, options));
  });

  it("leaves spans as they were sent where nothing is to be adjusted", async () => {
    const spans = [otlpSpan({ spanId: id(1), parentSpanId: id(9) }), otlpSpan({ spanId: id(1) })];
    expect(await adjusted(packed(spans), undefined)).toEqual(
      toApiTrace({ traceId: sampleTraceId, spans }).spans,
    );
  });
});
