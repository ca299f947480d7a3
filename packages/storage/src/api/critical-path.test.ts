import { describe, expect, test } from "vitest";
import type { Span } from "wire/model";
import { criticalPath, criticalPathSums } from "./critical-path.ts";

const traceId = "ab".repeat(16);

/** @param id,parent one hex digit; parent "" for a root */
function span(id: string, parent: string, start: number, end: number): Span {
  return {
    traceId,
    name: id,
    spanId: id.repeat(16),
    parentSpanId: parent.repeat(16),
    startTimeUnixNano: BigInt(start),
    durationNano: BigInt(end - start),
    traceState: "",
    flags: 0,
    kind: "internal",
    attributes: [],
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    status: { code: "unset", message: "" },
    format: "otlp",
    warnings: [],
    resource: { serviceName: "sample", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
    scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  };
}

async function path(...spans: readonly Span[]): Promise<string> {
  return (await criticalPath(spans))
    .map(({ span: { name }, startUnixNano, endUnixNano }) => `${name} ${startUnixNano}-${endUnixNano}`)
    .join(", ");
}

describe("criticalPath", () => {
  const rows: [name: string, spans: Span[], expected: string][] = [
    ["nothing", [], ""],
    ["a span alone", [span("a", "", 0, 10)], "a 0-10"],
    ["a child in the middle", [span("a", "", 0, 10), span("b", "a", 2, 7)], "a 7-10, b 2-7, a 0-2"],
    [
      "of two children at the same time, the one that ends last",
      [span("a", "", 0, 10), span("b", "a", 1, 8), span("c", "a", 2, 9)],
      "a 9-10, c 2-9, a 0-2",
    ],
    [
      "two children one after the other, and a grandchild",
      [span("a", "", 0, 20), span("b", "a", 1, 8), span("c", "a", 10, 19), span("d", "c", 12, 19)],
      "a 19-20, d 12-19, c 10-12, a 8-10, b 1-8, a 0-1",
    ],
    ["a child that outlives its parent", [span("a", "", 0, 10), span("b", "a", 5, 30)], "b 5-10, a 0-5"],
    ["a child that begins after its parent", [span("a", "", 0, 10), span("b", "a", 11, 30)], "a 0-10"],
    ["a child that begins before its parent", [span("a", "", 5, 10), span("b", "a", 0, 7)], "a 7-10, b 5-7"],
    ["a root whose parent is not stored", [span("a", "f", 0, 10)], "a 0-10"],
    ["the first of two roots", [span("b", "", 3, 30), span("a", "", 0, 10)], "a 0-10"],
    ["ids that go round in a circle", [span("a", "b", 0, 10), span("b", "a", 0, 10)], ""],
    ["a span that is its own parent", [span("a", "a", 0, 10)], "a 0-10"],
    ["a span that ends before it starts", [span("a", "", 10, 0)], ""],
  ];
  test.each(rows)("%s", async (_, spans, expected) => {
    expect(await path(...spans)).toBe(expected);
  });
});

describe("criticalPath of many spans", () => {
  test("lets others have a turn", async () => {
    let turns = 0;
    const timer = { isOn: true };
    const count = () => {
      turns++;
      if (timer.isOn) {
        setImmediate(count);
      }
    };
    setImmediate(count);
    const spans = Array.from({ length: 20_000 }, (_, index) => span(`b${index}`, "a", index, index + 1));
    const sections = await criticalPath([span("a", "", 0, 20_000), ...spans]);
    timer.isOn = false;
    expect(sections).toHaveLength(20_000);
    expect(turns).toBeGreaterThan(10);
  });
});

describe("criticalPathSums", () => {
  test("adds time and traces by operation, longest first", async () => {
    const first = [span("a", "", 0, 10), span("b", "a", 2, 9)];
    const second = [span("a", "", 0, 5)];
    expect(await criticalPathSums([first, second].map((spans) => ({ traceId, spans })))).toEqual({
      traces: 2,
      durationNano: 15n,
      operations: [
        { service: "sample", operation: "a", durationNano: 8n, traces: 2 },
        { service: "sample", operation: "b", durationNano: 7n, traces: 1 },
      ],
    });
  });
});
