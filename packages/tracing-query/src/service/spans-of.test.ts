import { expect, test } from "vitest";
import { sentSpans } from "./adjusters/adjust-trace.ts";
import { otlpSpan, sampleTraceId } from "./sample-store.ts";
import { spansInParts } from "./spans-of.ts";

const long = "x".repeat(600_000);
const text = (value: string) => ({ key: "k", value: { type: "string", value } }) as const;
const list = { key: "k", value: { type: "array", value: [text(long).value, text(long).value] } } as const;

test.each([
  ["few of many", Array.from({ length: 7 }, () => otlpSpan()), [3, 3, 1]],
  ["long names", Array.from({ length: 4 }, () => otlpSpan({ name: long })), [2, 2]],
  ["long attributes", Array.from({ length: 4 }, () => otlpSpan({ attributes: [text(long)] })), [2, 2]],
  ["lists of long texts", Array.from({ length: 3 }, () => otlpSpan({ attributes: [list] })), [1, 1, 1]],
  ["none", [], []],
])("parts end at a number of spans, or when texts are long: %s", (_, spans, lengths) => {
  expect([...spansInParts(spans, 3)].map(({ length }) => length)).toEqual(lengths);
});

test("spans that are sent as they are stored come in such parts too", () => {
  const spans = Array.from({ length: 4 }, () => otlpSpan({ name: long }));
  expect([...sentSpans({ traceId: sampleTraceId, spans })].map(({ length }) => length)).toEqual([2, 2]);
});
