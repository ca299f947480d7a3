import { describe, expect, it } from "vitest";
import { rowsOf, spanOf } from "../../test/span-rows-fixture.ts";
import { metricServiceName, SpanCounts } from "./span-counts.ts";

function counting(maxServices?: number) {
  const seen: unknown[][] = [];
  const counts = new SpanCounts(
    {
      spansReceived: (source, { service, debug }, spans) => {
        seen.push(["spans", source.format, service, debug, spans]);
      },
      tracesReceived: (source, { service, debug }, samplerType, traces) => {
        seen.push(["traces", source.format, service, debug, samplerType, traces]);
      },
    },
    maxServices,
  );
  return { counts, seen };
}

const child = { parentSpanId: "00000000000000aa" };
const source = { transport: "http", format: "otlp" } as const;

describe("SpanCounts", () => {
  it("counts runs of one service once, and leaves the rows as they are", () => {
    const { counts, seen } = counting();
    const rows = rowsOf([
      spanOf({ ...child, service: "Shop" }),
      spanOf({ ...child, service: "Shop" }),
      spanOf({ ...child, service: "cart" }),
    ]);
    expect(counts.apply(rows, source)).toBe(rows);
    expect(seen).toEqual([
      ["spans", "otlp", "shop", false, 2],
      ["spans", "otlp", "cart", false, 1],
    ]);
    seen.length = 0;
    counts.apply(rowsOf([spanOf({ ...child, service: "cart" })]), source);
    expect(seen).toEqual([["spans", "otlp", "cart", false, 1]]);
  });

  it("counts root spans as traces, by the type of their sampler", () => {
    const { counts, seen } = counting();
    const sampled = (type: string) => spanOf({ attributes: { "sampler.type": type } });
    counts.apply(rowsOf([sampled("const"), sampled("mine"), spanOf({}), spanOf(child)]), source);
    expect(seen).toEqual([
      ["spans", "otlp", "shop", false, 4],
      ["traces", "otlp", "shop", false, "const", 1],
      ["traces", "otlp", "shop", false, "unrecognized", 2],
    ]);
  });

  it("tells debug spans apart", () => {
    const { counts, seen } = counting();
    counts.apply(rowsOf([spanOf({ ...child, flags: 3 }), spanOf({ ...child, flags: 1 })]), source);
    expect(seen).toEqual([
      ["spans", "otlp", "shop", true, 1],
      ["spans", "otlp", "shop", false, 1],
    ]);
  });

  it("puts services past the limit under one name, and keeps counting those it knows", () => {
    const { counts, seen } = counting(2);
    const services = ["a", "b", "c", "A", "d"];
    counts.apply(rowsOf(services.map((service) => spanOf({ ...child, service }))), source);
    expect(seen.map(([, , service]) => service)).toEqual(["a", "b", "other-services", "a", "other-services"]);
  });

  it("names a service that has no name", () => {
    const { counts, seen } = counting();
    counts.apply(rowsOf([spanOf({ ...child, service: "" })]), source);
    expect(seen).toEqual([["spans", "otlp", "__unknown", false, 1]]);
  });
});

describe("metricServiceName", () => {
  it.each([
    ["Shop Front/1:é_λ🙂", "shop_front_1___λ🙂"],
    ["a.b-c9", "a.b-c9"],
  ])("writes %s as %s", (name, label) => expect(metricServiceName(name)).toBe(label));
});
