import { expect, test } from "vitest";
import { buildTrace } from "./build-trace.ts";
import { summariseTrace } from "./summarise-trace.ts";
import { spanFlag } from "./trace.ts";
import { apiTrace } from "./trace-schema.ts";

/** A trace of spans `[id, parent, start]`; a start of undefined is left out of the JSON. */
function traceOf(spans: readonly (readonly [id: string, parent: string, startTime: number | undefined])[]) {
  const list = spans.map(([spanID, parent, startTime]) => ({
    ...{ traceID: "t", spanID, operationName: spanID, startTime, duration: 10, tags: [], logs: null },
    references: parent === "" ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parent }],
    processID: "p",
  }));
  const processes = { p: { serviceName: "s", tags: null } };
  return apiTrace.parse(JSON.parse(JSON.stringify({ traceID: "t", spans: list, processes })));
}

const startUs = 1_795_000_000_000_000;

test("spans without a start begin with their parent, or with the trace, and say so", () => {
  const input = traceOf([
    ["root", "", startUs],
    ["child", "root", startUs + 50],
    ["zero", "child", 0],
    ["below", "zero", undefined],
    ["lost", "nobody", -1],
    ["round", "round", 0],
  ]);
  const trace = buildTrace(input);
  const offsets = trace.spans.map(({ spanID }, at) => [spanID, trace.offsetUs[at]]);
  expect(Object.fromEntries(offsets)).toEqual({ root: 0, child: 50, zero: 50, below: 50, lost: 0, round: 0 });
  expect(trace).toMatchObject({ startUs, durationUs: 60 });
  const warned = trace.spans.filter((_, at) => ((trace.flags[at] as number) & spanFlag.warning) !== 0);
  expect(warned.map(({ spanID }) => spanID).sort()).toEqual(["below", "lost", "round", "zero"]);
  expect(warned[0]?.warnings).toEqual([expect.stringContaining("no start time")]);
  expect(summariseTrace(input)).toMatchObject({ startUs, durationUs: 60 });
});

test("a trace without any start stays at 1970", () => {
  const trace = buildTrace(traceOf([["root", "", 0]]));
  expect(trace).toMatchObject({ startUs: 0, durationUs: 10 });
});
