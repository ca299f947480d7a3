import type { TraceQlAttribute, TraceQlMetrics, TraceQlSearch } from "storage/api";
import { expect, test } from "vitest";
import { rangeJson } from "../tempo/metrics-json.ts";
import { searchJson } from "../tempo/search-json.ts";
import { checkMetricsSize, checkSearchSize } from "./answer-size.ts";

const limits = { maxTraces: 1, maxSpans: 1, maxRangeNano: undefined };
const long: TraceQlAttribute = ["name", { type: "string", value: "x".repeat(10_000) }];
const nested: TraceQlAttribute = [
  "list",
  { type: "array", value: [{ type: "kvlist", value: [{ key: "k", value: long[1] }] }] },
];

function found(sets: number, ...attributes: TraceQlAttribute[]): TraceQlSearch {
  const span = { spanId: "1".repeat(16), name: "GET /", startUnixNano: 1n, durationNano: 1n, attributes };
  const set = { matched: 1, spans: [span], attributes };
  const trace = {
    ...{
      traceId: "1".repeat(32),
      rootServiceName: "a",
      rootTraceName: "b",
      startUnixNano: 1n,
      durationNano: 1n,
    },
    ...{ serviceStats: new Map(), spanSets: Array.from({ length: sets }, () => set) },
  };
  return { traces: [trace], inspectedSpans: 1 };
}

const metrics: TraceQlMetrics = {
  series: [{ labels: [long, nested], samples: [{ unixNano: 1n, value: 1 }], exemplars: [] }],
  truncated: false,
  inspectedSpans: 1,
};

test.each([1, 20])("a search of %d sets is measured as it will be sent", (sets) => {
  const answer = found(sets, long, nested);
  const { length } = [...searchJson(answer)].join("");
  expect(() => checkSearchSize(answer, { ...limits, maxAnswerBytes: 0.95 * length })).toThrow(
    /over the limit of \d+(\.\d+)? bytes of --query.max-answer-size/,
  );
  checkSearchSize(answer, { ...limits, maxAnswerBytes: 1.05 * length });
  checkSearchSize(answer, limits);
});

test("metrics are measured as they will be sent", () => {
  const { length } = [...rangeJson(metrics)].join("");
  expect(() => checkMetricsSize(metrics, { ...limits, maxAnswerBytes: 0.95 * length })).toThrow(
    "--query.max-answer-size",
  );
  checkMetricsSize(metrics, { ...limits, maxAnswerBytes: 1.05 * length });
});
