import { expect, test } from "vitest";
import { buildTrace } from "./build-trace.ts";
import { type FoldRule, foldedBy, foldRuleText, offeredDurations, parseFoldRule } from "./fold-rules.ts";

// A chain of four with a leaf beside it: a (100 ms) > b (50 ms, other service) > c (5 ms) > d; e below a.
const span = (id: string, parent: string | undefined, process: string, duration: number) => ({
  ...{ traceID: "t", spanID: id, operationName: id, startTime: 0, duration, processID: process },
  references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parent }],
  ...{ tags: [], logs: [] },
});
const trace = buildTrace({
  traceID: "t",
  processes: { p: { serviceName: "shop", tags: [] }, q: { serviceName: "a:b,c", tags: [] } },
  spans: [
    span("a", undefined, "p", 100_000),
    span("b", "a", "q", 50_000),
    span("c", "b", "p", 5_000),
    span("d", "c", "p", 1_000),
    span("e", "a", "p", 1_000),
  ],
});
const names = (rule: FoldRule) => [...foldedBy(trace, rule)].map((at) => trace.spans[at]?.spanID);

test.each<[FoldRule, string[]]>([
  [{ by: "depth", levels: 1 }, ["a", "b", "c"]],
  [{ by: "depth", levels: 2 }, ["b", "c"]],
  [{ by: "depth", levels: 4 }, []],
  [{ by: "duration", us: 50_000 }, ["c"]],
  [{ by: "duration", us: 50_001 }, ["b", "c"]],
  [{ by: "service", name: "a:b,c" }, ["b"]],
  [{ by: "service", name: "gone" }, []],
])("%j folds %j", (rule, folded) => {
  expect(names(rule)).toEqual(folded);
  expect(parseFoldRule(foldRuleText(rule))).toEqual(rule);
});

test.each([undefined, "", "all", "ab12,cd34", "depth:0", "depth:x", "shorter:", "size:3"])(
  "%s is no rule",
  (text) => {
    expect(parseFoldRule(text)).toBeUndefined();
  },
);

test("durations are offered that tell spans of the trace apart", () => {
  expect(offeredDurations(trace)).toEqual([100, 1_000, 10_000]);
});
