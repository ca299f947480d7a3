import { expect, test } from "vitest";
import { buildTrace } from "../../trace/build-trace.ts";
import { explainTrace } from "./explain-trace.ts";

const span = (spanID: string, parent?: string, warnings: string[] | null = null) => ({
  traceID: "t",
  spanID,
  operationName: "op",
  references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parent }],
  startTime: 1,
  duration: 1,
  tags: [],
  logs: [],
  processID: "p1",
  warnings,
});

test("a sound trace needs no words", () => {
  expect(
    explainTrace(buildTrace({ traceID: "t", processes: {}, spans: [span("a"), span("b", "a")] }), 0),
  ).toEqual([]);
});

test("each oddity is counted, explained and leads to its first span", () => {
  const trace = buildTrace({
    traceID: "t",
    processes: {},
    spans: [
      span("a"),
      span("b", "gone"),
      span("c", "gone"),
      span("a", "a"),
      span("d", "d"),
      span("e", "a", ["skew"]),
    ],
    warnings: ["incomplete"],
  });
  const remarks = explainTrace(trace, 60e6);
  expect(remarks.map((remark) => remark.title)).toEqual([
    "2 spans without their parents",
    "1 circle of parents",
    "1 span with an id used before",
    "1 span with warnings",
    "Warning of the query service",
  ]);
  expect(remarks.map((remark) => trace.spans[remark.span]?.spanID)).toEqual(["b", "d", "a", "e", undefined]);
});

test("parents of a trace that has just ended are on their way", () => {
  const trace = buildTrace({ traceID: "t", processes: {}, spans: [span("b", "gone")] });
  expect(explainTrace(trace, 5e6).map(({ title }) => title)).toEqual(["Spans are still arriving"]);
});
