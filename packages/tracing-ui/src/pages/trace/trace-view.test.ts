import { expect, test } from "vitest";
import { buildTrace } from "../../trace/build-trace.ts";
import { filterSpans } from "../../trace/filter-spans.ts";
import { visibleRows } from "../../trace/visible-rows.ts";
import { traceAddress } from "./trace-address.ts";
import {
  addressOfView,
  reduceView,
  type TraceView,
  type ViewAction,
  viewOfAddress,
  wholeRange,
} from "./trace-view.ts";

/** a ─ b ─ c(error); a ─ d(error); e */
const trace = buildTrace({
  traceID: "t",
  processes: { p1: { serviceName: "s", tags: [] } },
  spans: [["a"], ["b", "a"], ["c", "b", "x"], ["d", "a", "x"], ["e"]].map(
    ([spanID, parent, error], index) => ({
      traceID: "t",
      spanID: spanID as string,
      operationName: "op",
      references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parent }],
      startTime: 1_000 + index * 100,
      duration: 100,
      tags: error === undefined ? [] : [{ key: "error", type: "bool", value: true }],
      logs: [],
      processID: "p1",
    }),
  ),
});
const start: TraceView = viewOfAddress(trace, traceAddress.parse({}));
const after = (...actions: ViewAction[]) =>
  actions.reduce((view, action) => reduceView(trace, view, action), start);
const id = (view: TraceView) => trace.spans[view.selected]?.spanID;
const move = (by: number, view = start): ViewAction => ({
  type: "move",
  by,
  rows: visibleRows(trace, view.folded),
});
const select = (spanID: string): ViewAction => ({
  type: "select",
  span: trace.spans.findIndex((span) => span.spanID === spanID),
});

test("the first move selects the first row; moves stop at the ends", () => {
  expect(id(after(move(1)))).toBe("a");
  expect(id(after(select("a"), move(1)))).toBe("b");
  expect(id(after(select("a"), move(-1)))).toBe("a");
  expect(id(after(select("b"), move(1_000)))).toBe("e");
});

test("h folds, then climbs; l unfolds, then descends", () => {
  const folded = after(select("b"), { type: "foldOrParent" });
  expect([...folded.folded]).toEqual([1]);
  const climbed = reduceView(trace, folded, { type: "foldOrParent" });
  expect(id(climbed)).toBe("a");
  const unfolded = reduceView(trace, folded, { type: "unfoldOrChild" });
  expect(unfolded.folded.size).toBe(0);
  expect(id(reduceView(trace, unfolded, { type: "unfoldOrChild" }))).toBe("c");
});

test("at a root without children h and l change nothing", () => {
  const view = after(select("e"));
  expect(reduceView(trace, view, { type: "foldOrParent" })).toBe(view);
  expect(reduceView(trace, view, { type: "unfoldOrChild" })).toBe(view);
});

test("e goes round the errors and unfolds what hides them", () => {
  const first = after({ type: "foldAll" }, { type: "nextError", by: 1 });
  expect(id(first)).toBe("c");
  expect(first.folded.size).toBe(0);
  const second = reduceView(trace, first, { type: "nextError", by: 1 });
  expect(id(second)).toBe("d");
  expect(id(reduceView(trace, second, { type: "nextError", by: 1 }))).toBe("c");
  expect(id(after({ type: "nextError", by: -1 }))).toBe("d");
});

test("without errors e keeps the selection", () => {
  const calm = buildTrace({ traceID: "t", processes: {}, spans: trace.spans.slice(4) });
  const view = { ...viewOfAddress(calm, traceAddress.parse({})), selected: 0 };
  expect(reduceView(calm, view, { type: "nextError", by: 1 })).toBe(view);
});

test("zooming stays within the trace, keeps its centre and never ends empty", () => {
  expect(after({ type: "zoom", range: { fromUs: 300, toUs: 100 } }).range).toEqual({
    fromUs: 100,
    toUs: 300,
  });
  expect(after({ type: "zoomBy", factor: 0.5, centreUs: 250 }).range).toEqual({ fromUs: 125, toUs: 375 });
  expect(
    after({ type: "zoom", range: { fromUs: 100, toUs: 300 } }, { type: "zoomBy", factor: 100 }).range,
  ).toEqual(wholeRange(trace));
  expect(after({ type: "zoom", range: { fromUs: 900, toUs: 900 } }).range).toEqual({
    fromUs: 499,
    toUs: 500,
  });
  expect(after({ type: "zoom", range: { fromUs: Number.NaN, toUs: 5 } }).range).toEqual(wholeRange(trace));
});

test("escape clears the filter first, then the selection", () => {
  const view = after(select("c"), { type: "filter", text: "x" });
  const once = reduceView(trace, view, { type: "escape" });
  expect([once.filter, id(once)]).toEqual(["", "c"]);
  expect(reduceView(trace, once, { type: "escape" }).selected).toBe(-1);
});

test("a view survives the way through the address", () => {
  const view = after(
    select("c"),
    { type: "toggleOpen", span: 3 },
    { type: "toggleOpen", span: 2 },
    { type: "toggleFold", span: 0 },
    { type: "filter", text: "a b" },
    { type: "zoom", range: { fromUs: 100, toUs: 300 } },
  );
  const fields = addressOfView(trace, view);
  expect(fields).toEqual({ span: "c", open: "d,c", fold: "a", q: "a b", from: "100", to: "300" });
  // The selected span is hidden by a fold. An address that selects the span must unfold it.
  expect(viewOfAddress(trace, traceAddress.parse(fields))).toEqual({ ...view, folded: new Set() });
  expect(traceAddress.parse(traceAddress.parse(fields))).toEqual(traceAddress.parse(fields));
  expect(addressOfView(trace, start)).toEqual({});
});

test("ids that the trace does not have, and nonsense, are passed over", () => {
  const address = traceAddress.parse({ span: "zz", open: "zz,,a", fold: ",", from: "-3", to: "x" });
  expect(viewOfAddress(trace, address)).toEqual({ ...start, open: new Set([0]) });
  expect([...viewOfAddress(trace, traceAddress.parse({ fold: "all" })).folded]).toEqual([0, 1]);
});

test("matches are gone through, and what hides one is unfolded", () => {
  const filter = filterSpans(trace, "status=error");
  if (filter === undefined) {
    throw new Error("no filter");
  }
  const first = after({ type: "foldAll" }, { type: "nextMatch", by: 1, filter });
  expect(id(first)).toBe("c");
  expect(first.folded.size).toBe(0);
  expect(id(reduceView(trace, first, { type: "nextMatch", by: 1, filter }))).toBe("d");
  expect(id(reduceView(trace, first, { type: "nextMatch", by: -1, filter }))).toBe("d");
});

test("a rule folds many spans, is kept in the address, and goes once a span is unfolded by itself", () => {
  const view = after({ type: "foldBy", rule: { by: "depth", levels: 2 } });
  expect([...view.folded]).toEqual([1]);
  const fields = addressOfView(trace, view);
  expect(fields).toEqual({ fold: "depth:2" });
  expect(viewOfAddress(trace, traceAddress.parse(fields))).toEqual(view);
  const unfolded = reduceView(trace, view, { type: "toggleFold", span: 0 });
  expect(addressOfView(trace, unfolded)).toEqual({ fold: "b,a" });
  expect(addressOfView(trace, reduceView(trace, view, select("c")))).toEqual({ span: "c" });
});
