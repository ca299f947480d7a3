import { expect, test } from "vitest";
import { adjustTrace } from "./adjusters/adjust-trace.ts";
import { toApiTrace } from "./api-trace.ts";
import { otlpSpan, sampleTraceId } from "./sample-store.ts";

test("spans of one resource share a process, until an adjuster changes one of them", () => {
  const { resource } = otlpSpan();
  const sdk = { key: "telemetry.sdk.name", value: { type: "string", value: "x" } } as const;
  const spans = [
    { ...otlpSpan(), resource },
    { ...otlpSpan({ spanId: "00000000000000b2", attributes: [sdk] }), resource },
    otlpSpan({ spanId: "00000000000000b3" }),
  ];
  const trace = toApiTrace({ traceId: sampleTraceId, spans });
  const [first, second, third] = trace.spans;
  expect(second?.process).toBe(first?.process);
  expect(third?.process).not.toBe(first?.process);
  expect(third?.process).toEqual(first?.process);

  adjustTrace(trace, { maxClockSkewNano: 0n });
  expect(first?.process?.tags).toEqual([]);
  expect(second?.process?.tags.map(({ key }) => key)).toEqual(["telemetry.sdk.name"]);
});

test("a span that ends before it starts has lasted for 0, and says so", () => {
  const spans = [otlpSpan({ durationNano: -250_000_000n }), otlpSpan({ durationNano: 0n })];
  const [early, instant] = toApiTrace({ traceId: sampleTraceId, spans }).spans;
  expect(early?.duration).toEqual({ seconds: 0n, nanos: 0 });
  expect(early?.warnings).toEqual([
    "the span ends 250000000 ns before it starts: its duration is shown as 0",
  ]);
  expect(instant?.warnings).toEqual([]);
});
