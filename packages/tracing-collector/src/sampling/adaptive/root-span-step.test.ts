import { describe, expect, test } from "vitest";
import type { Span } from "wire/model";
import { rowsOf, type SpanOutline, spanOf } from "../../../test/span-rows-fixture.ts";
import { RootSpanStep } from "./root-span-step.ts";
import { ThroughputCounter } from "./throughput-counter.ts";

function counted(...spans: readonly Span[]) {
  const rows = rowsOf(spans);
  const counter = new ThroughputCounter();
  expect(new RootSpanStep(counter).apply(rows)).toBe(rows);
  return counter.take().throughput;
}

const sampled = (type = "probabilistic", param = "0.001") => ({
  "sampler.type": type,
  "sampler.param": param,
});

test("counts root spans with the tags of a sampler", () => {
  const root = spanOf({ attributes: { a: "b", ...sampled() } });
  const child = spanOf({ attributes: sampled(), parentSpanId: "00f067aa0ba902b7" });
  const other = spanOf({ attributes: sampled(), service: "é", format: "jaeger" });
  expect(counted(root, child, spanOf({}), root, other)).toEqual([
    { service: "shop", operation: "GET /", count: 2, probabilities: ["0.001000"] },
    { service: "é", operation: "GET /", count: 1, probabilities: ["0.001000"] },
  ]);
});

test("knows the tags of OpenTelemetry's sampler for Go", () => {
  const attributes = { "jaeger.sampler.type": "probabilistic", "jaeger.sampler.param": "0.5" };
  expect(counted(spanOf({ attributes }))).toMatchObject([{ count: 1, probabilities: ["0.500000"] }]);
});

describe("which sampler counts", () => {
  test.each([
    ["probabilistic", 1],
    ["lowerbound", 0],
    ["ratelimiting", 0],
    ["const", 0],
  ])("%s", (type, count) => {
    expect(counted(spanOf({ attributes: sampled(type) }))).toMatchObject([{ count }]);
  });
});

test.each([
  { name: "a double", value: { type: "double", value: 0.25 }, probability: "0.250000" },
  { name: "an integer", value: { type: "int", value: 1n }, probability: "1.000000" },
  { name: "a text", value: { type: "string", value: "5e-1" }, probability: "0.500000" },
] as const)("the parameter may be $name", ({ value, probability }) => {
  const type = { key: "sampler.type", value: { type: "string", value: "probabilistic" } } as const;
  const span = { ...spanOf({}), attributes: [type, { key: "sampler.param", value }] };
  expect(counted(span)).toMatchObject([{ probabilities: [probability] }]);
});

const uncounted: { readonly name: string; readonly span: SpanOutline }[] = [
  { name: "no service", span: { service: "", attributes: sampled() } },
  { name: "no name", span: { name: "", attributes: sampled() } },
  { name: "an unknown sampler", span: { attributes: sampled("remote") } },
  {
    name: "a parameter of very many digits that is no number",
    span: { attributes: sampled("probabilistic", `${"1".repeat(500_000)}x`) },
  },
  { name: "no parameter", span: { attributes: { "sampler.type": "probabilistic" } } },
  { name: "no type", span: { attributes: { "sampler.param": "1" } } },
  ...["", "x", " 1", "0x10", "NaN", "Infinity", "1e999", "true"].map((param) => ({
    name: `a parameter of ${JSON.stringify(param)}`,
    span: { attributes: sampled("probabilistic", param) },
  })),
];
test.each(uncounted)("passes over a root span with $name", ({ span }) => {
  expect(counted(spanOf(span))).toEqual([]);
});
