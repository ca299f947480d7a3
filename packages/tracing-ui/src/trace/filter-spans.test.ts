import { expect, test } from "vitest";
import { buildTrace } from "./build-trace.ts";
import { filterSpans } from "./filter-spans.ts";

const tag = (key: string, value: string | number) => ({ key, type: "string", value });
const trace = buildTrace({
  traceID: "t",
  processes: { p1: { serviceName: "frontend", tags: [] }, p2: { serviceName: "payment", tags: [] } },
  spans: [
    { id: "root", op: "GET /", process: "p1", tags: [] },
    { id: "mid", op: "Charge", process: "p2", parent: "root", tags: [tag("http.status_code", 503)] },
    {
      id: "leaf",
      op: "SELECT card",
      process: "p2",
      parent: "mid",
      tags: [tag("db.statement", "SELECT 1 FROM card")],
    },
    { id: "side", op: "render page", process: "p1", parent: "root", tags: [] },
  ].map(({ id, op, process, parent, tags }, index) => ({
    traceID: "t",
    spanID: id,
    operationName: op,
    references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parent }],
    startTime: index,
    duration: 1,
    tags,
    logs: id === "side" ? [{ timestamp: 1, fields: [tag("event", "cache miss")] }] : [],
    processID: process,
  })),
});

test.each([
  ["payment", ["mid", "leaf"], 1],
  ["CHARGE", ["mid"], 2],
  ["http.status_code=503", ["mid"], 2],
  ["payment select", ["leaf"], 1],
  ['"cache miss"', ["side"], 2],
  ['"cache mi', ["side"], 2],
  ["leaf", ["leaf"], 1],
  ["nowhere", [], 4],
])("%s finds %j and hides %d", (text, ids, hidden) => {
  const filter = filterSpans(trace, text);
  const found = trace.spans.filter((_, at) => filter?.matches[at] === 1).map((span) => span.spanID);
  expect(found).toEqual(ids);
  expect(filter).toMatchObject({ matchCount: ids.length, hiddenCount: hidden });
});

test("the way from the root to a match stays", () => {
  const shown = filterSpans(trace, "leaf")?.shown;
  expect(trace.spans.filter((_, at) => shown?.[at] === 1).map((span) => span.spanID)).toEqual([
    "root",
    "mid",
    "leaf",
  ]);
});

test("an empty text filters nothing", () => {
  expect(filterSpans(trace, "  ")).toBeUndefined();
});
