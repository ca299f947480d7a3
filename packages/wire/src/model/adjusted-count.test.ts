import { expect, test } from "vitest";
import {
  adjustedCount,
  probabilityOf,
  samplingThreshold,
  withSamplingProbability,
} from "./adjusted-count.ts";
import type { Attribute, AttributeValue } from "./attribute.ts";

const child = { parentSpanId: "00000000000000aa", attributes: [] };

test.each([
  ["ot=th:0", 1],
  ["ot=th:8", 2],
  ["ot=th:c", 4],
  ["ot=th:e666", 9.999],
  ["ot=th:e6666666666666", 10],
  ["vendor=1, ot=rv:0123456789abcd;th:fd70a3d70a3d7;x:y ,other=ot", 100],
  ["ot=th:ffffffffffffff", 72_060_000_000_000_000],
])("%s stands for %d", (traceState, count) => {
  expect(adjustedCount({ ...child, traceState })).toBe(count);
});

test.each([
  "",
  "ot=",
  "ot=p:8;r:62",
  "th:8",
  "not=th:8",
  "ot=th:",
  "ot=th:E6",
  "ot=th:0123456789abcde",
  "ot=xth:8",
  "a=ot=th:8",
])("%j tells nothing", (traceState) => {
  expect(samplingThreshold(traceState)).toBeUndefined();
  expect(adjustedCount({ ...child, traceState })).toBe(0);
});

const string = (value: string): AttributeValue => ({ type: "string", value });
const double = (value: number): AttributeValue => ({ type: "double", value });

test.each<[string, Record<string, AttributeValue>, number]>([
  ["a probability", { "sampling.probability": double(0.3333) }, 3],
  ["as text", { "sampling.probability": string("0.25") }, 4],
  ["of 0", { "sampling.probability": double(0) }, 0],
  ["above 1", { "sampling.probability": double(50) }, 0],
  ["that is no number", { "sampling.probability": string("most") }, 0],
  ["Jaeger's sampler", { "sampler.type": string("probabilistic"), "sampler.param": double(0.003) }, 333.3],
  [
    "OpenTelemetry's for Go",
    { "jaeger.sampler.type": string("probabilistic"), "jaeger.sampler.param": double(0.5) },
    2,
  ],
  [
    "one that keeps all",
    { "sampler.type": string("const"), "sampler.param": { type: "bool", value: true } },
    1,
  ],
  ["a rate", { "sampler.type": string("ratelimiting"), "sampler.param": double(0.5) }, 0],
  ["a parameter alone", { "sampler.param": double(0.5) }, 0],
  ["a priority", { "sampling.priority": { type: "int", value: 1n } }, 0],
])("a root span with %s", (_, tags, count) => {
  const attributes: Attribute[] = Object.entries(tags).map(([key, value]) => ({ key, value }));
  expect(adjustedCount({ traceState: "", parentSpanId: "", attributes })).toBe(count);
  // The tracestate takes precedence over tags, and tags count only for root spans.
  expect(adjustedCount({ traceState: "ot=th:8", parentSpanId: "", attributes })).toBe(2);
  expect(adjustedCount({ ...child, traceState: "", attributes })).toBe(0);
});

test.each([
  ["", 0.1, "ot=th:e6666666666668"],
  ["", 1, "ot=th:0"],
  ["ot=rv:0123456789abcd;th:8,a=b", 0.25, "ot=th:c;rv:0123456789abcd,a=b"],
  ["a=b,ot=th:8", 0.25, "ot=th:c,a=b"],
  ["a=b,ot=th:8", undefined, "a=b"],
  ["ot=th:8;rv:0123456789abcd", undefined, "ot=rv:0123456789abcd"],
  ["a=b", undefined, "a=b"],
  ["", undefined, ""],
])("%j with a probability of %j is %j", (traceState, probability, changed) => {
  expect(withSamplingProbability(traceState, probability)).toBe(changed);
});

test("a probability that is written is read again", () => {
  for (const probability of [1, 0.5, 0.1, 1e-4, 2 ** -56, 1e-20]) {
    const threshold = samplingThreshold(withSamplingProbability("", probability)) ?? -1n;
    expect(probabilityOf(threshold) / Math.max(probability, 2 ** -56)).toBeCloseTo(1, 6);
  }
});
