import { expect, test } from "vitest";
import { type OtlpSpan, type SpanNode, spanTree } from "./otlp.ts";

const span = (
  spanId: string,
  parentSpanId: string,
  start: number,
  more: Partial<OtlpSpan> = {},
): OtlpSpan => ({
  ...{ traceId: "1", spanId, parentSpanId, name: spanId },
  ...{ startTimeUnixNano: String(start), endTimeUnixNano: String(start + 1), ...more },
});

const treeOf = (...spans: OtlpSpan[]) => spanTree({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

type Names = readonly [string, ...Names[]];
const namesOf = ({ span: { name = "" }, children }: SpanNode): Names => [name, ...children.map(namesOf)];

test("spans are below their parents by start, and orphans are roots", () => {
  const roots = treeOf(span("c", "a", 3), span("a", "", 1), span("b", "a", 2), span("d", "gone", 4));
  expect(roots.map(namesOf)).toEqual([["a", ["b"], ["c"]], ["d"]]);
});

test("the first of spans that are each other's parents is a root", () => {
  const roots = treeOf(span("a", "b", 1), span("b", "a", 2), span("c", "c", 3));
  expect(roots.map(namesOf)).toEqual([["c"], ["a", ["b"]]]);
});

test("a child of a shared id is below the server", () => {
  const roots = treeOf(
    span("a", "", 1, { kind: 3 }),
    span("a", "", 2, { kind: 2, name: "server" }),
    span("b", "a", 3),
  );
  expect(roots.map(namesOf)).toEqual([["a"], ["server", ["b"]]]);
});

test("200,000 children of one span are read", () => {
  const children = Array.from({ length: 200_000 }, (_, index) => span(`${index}`, "root", index));
  const [root] = spanTree({
    resourceSpans: [{ scopeSpans: [{ spans: [span("root", "", 0), ...children] }] }],
  });
  expect(root?.children.length).toBe(200_000);
});

test("a chain of 100,000 spans is read in linear time and without recursion", () => {
  const spans = Array.from({ length: 100_000 }, (_, index) =>
    span(`${index}`, index === 0 ? "" : `${index - 1}`, index),
  );
  const [root] = treeOf(...spans);
  let depth = 0;
  for (let at = root; at !== undefined; at = at.children[0]) {
    depth++;
  }
  expect(depth).toBe(100_000);
});
