import { describe, expect, test } from "vitest";
import type { Span } from "wire/model";
import { otlpSpan, sampleTraceId } from "./sample-store.ts";
import { shownSpans } from "./shown-spans.ts";

const plain = { maxClockSkewNano: 0n };

function zipkinSpan(facts: Partial<Span> & { service: string }): Span {
  return otlpSpan({ format: "zipkin", spanId: "00000000000000aa", ...facts });
}

function shown(spans: readonly Span[], maxClockSkewNano = 0n) {
  return shownSpans({ traceId: sampleTraceId, spans }, { maxClockSkewNano });
}

describe("shownSpans", () => {
  test("takes what a span says", async () => {
    const span = otlpSpan({ parentSpanId: "00000000000000a1", status: { code: "error", message: "" } });
    expect(await shownSpans({ traceId: sampleTraceId, spans: [span] }, plain)).toEqual([
      {
        spanId: "d8b7eb2154448f9d",
        parentSpanId: "00000000000000a1",
        service: "shop",
        operation: "GET /",
        spanKind: "server",
        startTimeUnixNano: span.startTimeUnixNano,
        durationNano: 1_500_000n,
        hasError: true,
      },
    ]);
  });

  test("gives spans that share an id the ids that are shown", async () => {
    const spans = await shown([
      zipkinSpan({ service: "shop", kind: "client" }),
      zipkinSpan({ service: "db", kind: "server" }),
    ]);
    expect(spans.map(({ service, spanId, parentSpanId }) => [service, spanId, parentSpanId])).toEqual([
      ["shop", "00000000000000aa", ""],
      ["db", "0000000000000001", "00000000000000aa"],
    ]);
  });

  test("leaves out duplicates", async () => {
    const span = otlpSpan();
    expect(await shown([span, span])).toHaveLength(1);
  });

  test("corrects clocks where that is wanted", async () => {
    const host = (ip: string) => [{ key: "ip", value: { type: "string", value: ip } } as const];
    const startTimeUnixNano = 1_784_721_600_000_000_000n;
    const parent = otlpSpan({ resourceAttributes: host("10.0.0.1"), startTimeUnixNano, durationNano: 100n });
    const child = otlpSpan({
      spanId: "00000000000000c1",
      parentSpanId: parent.spanId,
      resourceAttributes: host("10.0.0.2"),
      startTimeUnixNano: startTimeUnixNano - 1_000n,
      durationNano: 50n,
    });
    const starts = async (maxClockSkewNano: bigint, ...more: Span[]) =>
      (await shown([parent, child, ...more], maxClockSkewNano)).map(
        (span) => span.startTimeUnixNano - startTimeUnixNano,
      );
    expect(await starts(0n)).toEqual([0n, -1_000n]);
    expect(await starts(1_000n)).toEqual([0n, -1_000n]);
    expect(await starts(1_000_000n)).toEqual([0n, 25n]);
    expect(await starts(1_000_000n, child)).toEqual([0n, 25n]);
  });
});
