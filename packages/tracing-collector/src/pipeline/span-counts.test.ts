import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Span } from "wire/model";
import { encodeTraces, OtlpTranscoder } from "wire/otlp";
import { rowsOf, type SpanOutline, spanOf } from "../../test/span-rows-fixture.ts";
import { ServiceCounter } from "../counts/service-counter.ts";
import { ServiceNames } from "../counts/service-labels.ts";
import { SpanCounts } from "./span-counts.ts";

function counting(maxServices?: number) {
  const seen: unknown[][] = [];
  const counts = new SpanCounts(
    {
      servicesReceived({ format }, { spans, traces }) {
        for (const [{ service, debug }, count] of spans) {
          seen.push(["spans", format, service, debug, count]);
        }
        for (const [{ service, debug }, types] of traces) {
          for (const [type, count] of types) {
            seen.push(["traces", format, service, debug, type, count]);
          }
        }
      },
    },
    new ServiceCounter(new ServiceNames(maxServices)),
  );
  return { counts, seen };
}

const child = { parentSpanId: "00000000000000aa" };
const source = { transport: "http", format: "otlp" } as const;

describe("SpanCounts", () => {
  test("counts the spans of a service, and leaves rows and counts for the next", () => {
    const { counts, seen } = counting();
    const rows = rowsOf([
      spanOf({ ...child, service: "Shop" }),
      spanOf({ ...child, service: "cart" }),
      spanOf({ ...child, service: "Shop" }),
    ]);
    const counted = counts.apply(rows, source);
    expect(counted.bytes).toBe(rows.bytes);
    expect(counted.count).toBe(3);
    expect([...(counted.services?.spans ?? [])]).toEqual([
      [{ service: "shop", debug: false }, 2],
      [{ service: "cart", debug: false }, 1],
    ]);
    expect(seen).toEqual([
      ["spans", "otlp", "shop", false, 2],
      ["spans", "otlp", "cart", false, 1],
    ]);
    seen.length = 0;
    counts.apply(rowsOf([spanOf({ ...child, service: "cart" })]), source);
    expect(seen).toEqual([["spans", "otlp", "cart", false, 1]]);
  });

  test("counts root spans as traces, by the type of their sampler", () => {
    const { counts, seen } = counting();
    const sampled = (type: string) => spanOf({ attributes: { "sampler.type": type } });
    counts.apply(rowsOf([sampled("const"), sampled("mine"), spanOf({}), spanOf(child)]), source);
    expect(seen).toEqual([
      ["spans", "otlp", "shop", false, 4],
      ["traces", "otlp", "shop", false, "const", 1],
      ["traces", "otlp", "shop", false, "unrecognized", 2],
    ]);
  });

  test("tells debug spans apart", () => {
    const { counts, seen } = counting();
    counts.apply(rowsOf([spanOf({ ...child, flags: 3 }), spanOf({ ...child, flags: 1 })]), source);
    expect(seen).toEqual([
      ["spans", "otlp", "shop", true, 1],
      ["spans", "otlp", "shop", false, 1],
    ]);
  });

  test("puts services past the limit under one name, and keeps counting those it knows", () => {
    const { counts, seen } = counting(2);
    const services = ["a", "b", "c", "A", "d"];
    counts.apply(rowsOf(services.map((service) => spanOf({ ...child, service }))), source);
    expect(seen.map(([, , service, , spans]) => [service, spans])).toEqual([
      ["a", 2],
      ["b", 1],
      ["other-services", 2],
    ]);
  });

  test("names a service that has no name", () => {
    const { counts, seen } = counting();
    counts.apply(rowsOf([spanOf({ ...child, service: "" })]), source);
    expect(seen).toEqual([["spans", "otlp", "__unknown", false, 1]]);
  });
});

function namedSpan(outline: SpanOutline & { readonly service: string }): Span {
  const value = { type: "string", value: outline.service } as const;
  return spanOf({ ...outline, resource: [{ key: "service.name", value }] });
}

describe("the tally of a transcoder", () => {
  test("says what the rows say", () => {
    const transcoder = new OtlpTranscoder();
    const spans = fc.array(
      fc.record({
        service: fc.constantFrom("shop", "cart", "Cart", ""),
        parentSpanId: fc.constantFrom("0000000000000000", "00000000000000aa"),
        flags: fc.constantFrom(0, 1, 2, 3),
        attributes: fc.constantFrom({}, { "sampler.type": "const" }, { "sampler.type": "mine" }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(spans, (fields) => {
        const { rows } = transcoder.transcode(encodeTraces(fields.map(namedSpan)));
        expect(rows.tally).toBeDefined();
        const { bytes, count } = rows;
        const told = new ServiceCounter().count(rows);
        const read = new ServiceCounter().count({ bytes, count });
        const sorted = (map: Iterable<unknown>) => [...map].map((each) => JSON.stringify(each)).sort();
        expect(sorted(told.spans)).toEqual(sorted(read.spans));
        const traces = ({ traces }: typeof told) =>
          sorted([...traces].map(([labels, types]) => [labels, [...types].sort()]));
        expect(traces(told)).toEqual(traces(read));
      }),
    );
  });
});
