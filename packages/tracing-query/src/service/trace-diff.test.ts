import { describe, expect, test } from "vitest";
import type { ShownSpan } from "./shown-spans.ts";
import { GroupPaths } from "./span-groups.ts";
import { DiffTraces, diffTraces, type TraceDiff } from "./trace-diff.ts";

function span(spanId: string, parentSpanId: string, facts: Partial<ShownSpan> = {}): ShownSpan {
  return {
    spanId,
    parentSpanId,
    service: "s",
    operation: spanId.replace(/\d/g, ""),
    spanKind: "internal",
    startTimeUnixNano: 0n,
    durationNano: 10n,
    hasError: false,
    ...facts,
  };
}

async function diffOf(a: readonly ShownSpan[], ...others: (readonly ShownSpan[])[]): Promise<TraceDiff> {
  const paths = new GroupPaths();
  const [ofA, ofB] = [new DiffTraces(paths), new DiffTraces(paths)];
  await ofA.add(a);
  for (const other of others) {
    await ofB.add(other);
  }
  return diffTraces(paths, ofA, ofB);
}

/** `parent > operation: count of a, count of b`. */
function outline({ nodes }: TraceDiff): string[] {
  return nodes.map(({ parent, operation, a, b }) => {
    const above = parent === undefined ? "" : `${nodes[parent]?.operation} > `;
    return `${above}${operation}: ${a?.count ?? "-"}, ${b?.count ?? "-"}`;
  });
}

describe("diffTraces", () => {
  test("puts spans of the same place together", async () => {
    const diff = await diffOf(
      [span("root", ""), span("call1", "root"), span("call2", "root"), span("leaf", "call2")],
      [span("root", ""), span("call1", "root"), span("other", "root")],
    );
    expect(outline(diff)).toEqual([
      "root: 1, 1",
      "root > call: 2, 1",
      "call > leaf: 1, -",
      "root > other: -, 1",
    ]);
  });

  test("an operation below another is another place", async () => {
    const diff = await diffOf(
      [span("a", ""), span("b", "a")],
      [span("a", ""), span("c", "a"), span("b", "c")],
    );
    expect(outline(diff)).toEqual(["a: 1, 1", "a > b: 1, -", "a > c: -, 1", "c > b: -, 1"]);
  });

  test("time of children that overlap, or run longer, is taken from their parent's once", async () => {
    const { nodes } = await diffOf([
      span("root", "", { durationNano: 100n }),
      span("x1", "root", { startTimeUnixNano: 10n, durationNano: 40n }),
      span("x2", "root", { startTimeUnixNano: 20n, durationNano: 10n }),
      span("x3", "root", { startTimeUnixNano: 40n, durationNano: 20n }),
      span("x4", "root", { startTimeUnixNano: 90n, durationNano: 500n }),
      span("x5", "root", { startTimeUnixNano: -20n, durationNano: 25n }),
    ]);
    expect(nodes[0]?.a).toMatchObject({ durationNano: 100, selfNano: 100 - 50 - 10 - 5 });
  });

  test("ranks by self time, not by the time of those above", async () => {
    const slow = [span("root", "", { durationNano: 100n }), span("x", "root", { durationNano: 90n })];
    const fast = [span("root", "", { durationNano: 20n }), span("x", "root", { durationNano: 10n })];
    expect((await diffOf(slow, fast)).ranked).toEqual([1]);
    expect((await diffOf(slow, slow)).ranked).toEqual([]);
  });

  test("the median of several: a place that most have not is none", async () => {
    const trace = (durationNano: bigint, ...more: ShownSpan[]) => [
      span("root", "", { durationNano }),
      ...more,
    ];
    const diff = await diffOf(
      trace(50n),
      trace(10n, span("x", "root"), span("y", "root")),
      trace(30n, span("x", "root")),
      trace(1_000n),
    );
    expect(outline(diff)).toEqual(["root: 1, 1", "root > x: -, 1"]);
    expect(diff.nodes[0]?.b).toMatchObject({ durationNano: 30, traces: 3 });
    expect(diff.nodes[1]?.b).toMatchObject({ traces: 2 });
    expect(diff.b).toEqual({ spans: 2, durationNano: 30 });
  });

  test("nothing on the other side", async () => {
    expect(await diffOf([span("root", "")])).toMatchObject({
      b: { spans: 0, durationNano: 0 },
      nodes: [{ b: undefined }],
      ranked: [0],
    });
  });

  test.each([
    ["a parent that is not there", [span("a", "gone"), span("b", "a")], ["a: 1, -", "a > b: 1, -"]],
    ["its own parent", [span("a", "a")], ["a: 1, -"]],
    ["each other's parents", [span("a", "b"), span("b", "a")], ["a: 1, -", "a > b: 1, -"]],
    ["the same id", [span("a", ""), span("a", "")], ["a: 2, -"]],
  ])("spans with %s", async (_, spans, expected) => {
    expect(outline(await diffOf(spans))).toEqual(expected);
  });

  test("a chain of 50,000 spans", async () => {
    const chain = Array.from({ length: 50_000 }, (_, index) =>
      span(`x${index}`, index === 0 ? "" : `x${index - 1}`),
    );
    expect((await diffOf(chain, chain)).nodes).toHaveLength(50_000);
  });
});
