import { expect, test } from "vitest";
import { buildTrace } from "./build-trace.ts";
import { countFlag, errorsBelow, leadingRoot, spanFlag, type Trace } from "./trace.ts";
import type { ApiSpan, ApiTrace } from "./trace-schema.ts";

function span(spanID: string, parentId?: string, fields: Partial<ApiSpan> = {}): ApiSpan {
  const references = parentId === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parentId }];
  return {
    traceID: "t",
    spanID,
    operationName: spanID,
    references,
    startTime: 1_000,
    duration: 10,
    tags: [],
    logs: [],
    processID: "p1",
    warnings: null,
    ...fields,
  };
}

function traceOf(...spans: ApiSpan[]): ApiTrace {
  return { traceID: "t", spans, processes: { p1: { serviceName: "shop", tags: [] } }, warnings: null };
}

/** The tree as indented ids, which are easy to check. */
function outline(trace: Trace): string[] {
  return trace.spans.map((item, at) => `${"  ".repeat(trace.depth[at] as number)}${item.spanID}`);
}

test("parents come before children, siblings by start, whatever the order of arrival", () => {
  const trace = buildTrace(
    traceOf(
      span("c2", "a", { startTime: 1_030 }),
      span("leaf", "c1", { startTime: 1_020 }),
      span("a", undefined, { startTime: 1_000, duration: 100 }),
      span("c1", "a", { startTime: 1_010 }),
    ),
  );
  expect(outline(trace)).toEqual(["a", "  c1", "    leaf", "  c2"]);
  expect([...trace.parent]).toEqual([-1, 0, 1, 0]);
  expect([...trace.subtreeEnd]).toEqual([4, 3, 3, 4]);
  expect([...trace.offsetUs]).toEqual([0, 10, 20, 30]);
  expect(trace).toMatchObject({ startUs: 1_000, durationUs: 100, levels: 3, services: ["shop"] });
});

test("a span whose parent is not in the trace is a root and says so", () => {
  const trace = buildTrace(traceOf(span("lost", "gone", { startTime: 900 }), span("a"), span("b", "lost")));
  expect(outline(trace)).toEqual(["lost", "  b", "a"]);
  expect([...trace.flags]).toEqual([spanFlag.parentMissing, 0, 0]);
  expect(leadingRoot(trace)).toBe(2);
});

test("a cycle is cut at its earliest span and everything hanging on it is kept", () => {
  const trace = buildTrace(
    traceOf(
      span("x", "z", { startTime: 1_002 }),
      span("y", "x", { startTime: 1_001 }),
      span("z", "y", { startTime: 1_003 }),
      span("tail", "z", { startTime: 900 }),
    ),
  );
  expect(outline(trace)).toEqual(["y", "  z", "    tail", "    x"]);
  expect(countFlag(trace, spanFlag.cycle)).toBe(1);
});

test("a span that is its own parent is a root", () => {
  const trace = buildTrace(traceOf(span("a", "a"), span("b", "a")));
  expect(outline(trace)).toEqual(["a", "  b"]);
  expect([...trace.flags]).toEqual([spanFlag.cycle, 0]);
});

test("of spans with one id the first gets the children; the server half of a shared id hangs below it", () => {
  const trace = buildTrace(
    traceOf(
      span("a"),
      span("s", "a", { startTime: 1_001 }),
      span("s", "a", { startTime: 1_002 }),
      span("s", "s", { startTime: 1_003 }),
      span("k", "s", { startTime: 1_004 }),
    ),
  );
  expect(outline(trace)).toEqual(["a", "  s", "    s", "    k", "  s"]);
  expect(countFlag(trace, spanFlag.duplicateId)).toBe(2);
});

test("CHILD_OF wins over FOLLOWS_FROM; references to other traces make no parent", () => {
  const references = [
    { refType: "CHILD_OF", traceID: "other", spanID: "b" },
    { refType: "FOLLOWS_FROM", traceID: "t", spanID: "b" },
    { refType: "CHILD_OF", traceID: "t", spanID: "a" },
  ];
  const trace = buildTrace(traceOf(span("a"), span("b"), span("c", undefined, { references })));
  expect(outline(trace)).toEqual(["a", "  c", "b"]);
  const linked = buildTrace(traceOf(span("a"), span("c", undefined, { references: references.slice(0, 1) })));
  expect(outline(linked)).toEqual(["a", "c"]);
});

test("errors are counted per subtree, in every spelling", () => {
  const failed = (value: string | boolean) => ({ tags: [{ key: "error", type: "bool", value }] });
  const trace = buildTrace(
    traceOf(
      span("a"),
      span("b", "a", failed(true)),
      span("c", "b", failed("connection refused")),
      span("d", "b", failed("false")),
      span("e", "a", { tags: [{ key: "otel.status_code", type: "string", value: "ERROR" }] }),
    ),
  );
  expect(errorsBelow(trace, 0)).toBe(3);
  expect(
    errorsBelow(
      trace,
      trace.spans.findIndex((item) => item.spanID === "b"),
    ),
  ).toBe(1);
});

test("a negative duration, printed unsigned, is 0 and a warning", () => {
  const trace = buildTrace(traceOf(span("a", undefined, { duration: Number("18446744073709551606") })));
  expect(trace.durationUs).toBe(0);
  expect([...trace.flags]).toEqual([spanFlag.warning]);
});

test("no spans, no services, null lists: still a trace", () => {
  expect(buildTrace(traceOf())).toMatchObject({ durationUs: 0, levels: 0, services: [] });
  const bare = span("a", undefined, { references: null, tags: null, logs: null, processID: "p9" });
  expect(buildTrace(traceOf(bare)).services).toEqual(["(unknown service)"]);
});

test.each(["chain", "bush"])("a %s of 100,000 spans is laid out whole", (shape) => {
  const n = 100_000;
  const spans = Array.from({ length: n }, (_, index) =>
    span(`s${index}`, index === 0 ? undefined : `s${shape === "chain" ? index - 1 : index >> 3}`, {
      startTime: 1_000 + index,
    }),
  ).reverse();
  const trace = buildTrace(traceOf(...spans));
  expect(trace.subtreeEnd[0]).toBe(n);
  expect(new Set(trace.spans).size).toBe(n);
  expect(trace.levels).toBe(shape === "chain" ? n : 7);
  for (let at = 1; at < n; at += 1) {
    const parent = trace.parent[at] as number;
    if (parent >= at || (trace.subtreeEnd[parent] as number) <= at) {
      throw new Error(`span ${at} is outside its parent`);
    }
  }
});
