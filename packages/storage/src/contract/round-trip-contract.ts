import { expect } from "vitest";
import type { Span } from "wire/model";
import type { SpanReader, Trace } from "../api/span-reader.ts";
import { type ContractContext, write } from "./contract-context.ts";
import {
  fullOtlpSpan,
  msNano,
  newTraceId,
  noonUnixNano,
  olderModelSpan,
  sampleSpan,
  text,
} from "./sample-spans.ts";

const roundTrips: readonly { readonly name: string; readonly span: () => Span }[] = [
  { name: "an OTLP span with every attribute type in every place", span: fullOtlpSpan },
  { name: "a span that came as api_v2 protobuf", span: () => olderModelSpan("proto") },
  { name: "a span that came as Thrift", span: () => olderModelSpan("jaeger") },
  { name: "a span that came as Zipkin", span: () => sampleSpan({ format: "zipkin" }) },
  {
    name: "a span of empty strings",
    span: () =>
      sampleSpan({
        name: "",
        service: "",
        attributes: [text("", "")],
        resource: { attributes: [] },
        warnings: [""],
      }),
  },
  { name: "a span that starts at 0", span: () => sampleSpan({ startTimeUnixNano: 0n, durationNano: 0n }) },
  {
    name: "a span that starts in the year 2200",
    span: () => sampleSpan({ startTimeUnixNano: 7_258_118_400_000_000_001n }),
  },
  {
    name: "a span at the end of time, with a negative duration",
    span: () => sampleSpan({ startTimeUnixNano: 2n ** 63n - 1n, durationNano: -(2n ** 63n) }),
  },
  { name: "a span before 1970", span: () => sampleSpan({ startTimeUnixNano: -(2n ** 63n) }) },
];

/** Reads packed traces; uses `getTraces` when the engine has no packed form. */
async function packedTraces(reader: SpanReader, traceIds: readonly string[]): Promise<Trace[]> {
  const traces = (await reader.getPackedTraces?.(traceIds)) ?? (await reader.getTraces(traceIds));
  return traces.map(({ traceId, spans }) => ({
    traceId,
    spans: Array.from({ length: spans.length }, (_, index) => spans.at(index) as Span),
  }));
}

function outlineOf(span: Span): Span {
  return {
    ...span,
    attributes: [],
    events: [],
    traceState: "",
    status: { code: span.status.code, message: "" },
  };
}

/** Contract of round trips: spans are read back complete and exact. */
export function roundTripContract({ store, test }: ContractContext): void {
  for (const { name, span: make } of roundTrips) {
    test(`gives back ${name}`, async () => {
      const span = make();
      await write(store(), [span]);
      const traces = await store().reader.getTraces([span.traceId]);
      expect(traces).toEqual([{ traceId: span.traceId, spans: [span] }]);
      expect(await packedTraces(store().reader, [span.traceId])).toEqual(traces);
    });
  }

  test("gives back a trace of 10,000 spans, written in two blocks, in order of start", async () => {
    const traceId = newTraceId();
    const spans = Array.from({ length: 10_000 }, (_, index) =>
      sampleSpan({
        traceId,
        name: `step ${index}`,
        startTimeUnixNano: noonUnixNano + BigInt(index) * msNano,
      }),
    );
    await write(store(), spans.slice(5_000));
    await write(store(), spans.slice(0, 5_000).reverse());
    const [trace] = await store().reader.getTraces([traceId]);
    expect(trace?.spans).toEqual(spans);
    expect((await packedTraces(store().reader, [traceId]))[0]?.spans).toEqual(spans);
  });

  test("gives back traces in the order asked, each once, without unknown ones", async () => {
    const [first, second, third] = [sampleSpan(), sampleSpan(), sampleSpan()];
    await write(store(), [first, second, third]);
    const ids = [third, first, third, first].map(({ traceId }) => traceId);
    const traces = await store().reader.getTraces([newTraceId(), ...ids, newTraceId()]);
    expect(traces.map(({ traceId }) => traceId)).toEqual([third.traceId, first.traceId]);
    expect(await packedTraces(store().reader, [newTraceId(), ...ids, newTraceId()])).toEqual(traces);
  });

  test("gives back 450 traces at once", async () => {
    const spans = Array.from({ length: 450 }, () => sampleSpan());
    await write(store(), spans);
    const traces = await store().reader.getTraces(spans.map(({ traceId }) => traceId));
    expect(traces.flatMap((trace) => trace.spans)).toEqual(spans);
    const ids = spans.map(({ traceId }) => traceId);
    expect(await packedTraces(store().reader, ids)).toEqual(traces);
  });

  test("gives back outlines: what lists of traces show, with links and resources", async () => {
    for (const make of [fullOtlpSpan, () => olderModelSpan("proto"), () => olderModelSpan("jaeger")]) {
      const span = make();
      await write(store(), [span]);
      const { reader } = store();
      const [outline] = (await reader.getOutlines?.([newTraceId(), span.traceId])) ?? [
        { traceId: span.traceId, spans: [outlineOf(span)] },
      ];
      expect(outline).toMatchObject({ traceId: span.traceId, spans: { length: 1 } });
      expect(outline?.spans.at(0)).toEqual(outlineOf(span));
    }
  });

  test("gives back nothing when no id is asked for", async () => {
    expect(await store().reader.getTraces([])).toEqual([]);
  });
}
