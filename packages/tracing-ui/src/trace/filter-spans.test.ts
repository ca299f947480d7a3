import { expect, test } from "vitest";
import { buildTrace } from "./build-trace.ts";
import { filterSpans, isFilter, matchNumber, nextMatch } from "./filter-spans.ts";
import { filterTerms } from "./filter-terms.ts";
import { filterWord } from "./filter-word.ts";

const tag = (key: string, value: string | number) => ({ key, type: "string", value });
const trace = buildTrace({
  traceID: "t",
  processes: {
    p1: { serviceName: "frontend", tags: [tag("zone", "eu-1")] },
    p2: { serviceName: "payment", tags: [] },
  },
  spans: [
    { id: "root", op: "GET /", process: "p1", tags: [] },
    {
      id: "mid",
      op: "Charge",
      process: "p2",
      parent: "root",
      tags: [tag("http.status_code", 503), tag("error", "true")],
    },
    {
      id: "leaf",
      op: "SELECT card",
      process: "p2",
      parent: "mid",
      tags: [tag("db.statement", "SELECT 1 FROM card")],
    },
    { id: "side", op: "render page", process: "p1", parent: "root", tags: [tag("otel.status_code", "OK")] },
  ].map(({ id, op, process, parent, tags }, index) => ({
    traceID: "t",
    spanID: id,
    operationName: op,
    references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "t", spanID: parent }],
    startTime: index,
    duration: 1_000 * (4 - index),
    tags,
    logs: id === "side" ? [{ timestamp: 1, fields: [tag("event", "cache miss")] }] : [],
    processID: process,
  })),
});

test.each([
  ["payment", "payment"],
  ["http.status_code:/a-b", "http.status_code:/a-b"],
  ["check out", '"check out"'],
  ["-cart", '"-cart"'],
  ["a=b", '"a=b"'],
  ["OR", '"OR"'],
  ['a "b"', '"a b"'],
])("%s is one word as %s", (text, word) => {
  expect(filterWord(text)).toBe(word);
  const { terms } = filterTerms(word);
  expect(terms).toEqual([{ kind: "text", text: text.replaceAll('"', "").toLowerCase(), without: false }]);
});

test.each([
  ["payment", ["mid", "leaf"], 1],
  ["CHARGE", ["mid"], 2],
  ["http.status_code=503", ["mid"], 2],
  ["payment select", ["leaf"], 1],
  ["charge OR select OR nowhere", ["mid", "leaf"], 1],
  ["frontend OR depth>2 -get", ["leaf", "side"], 0],
  ['select "OR"', [], 4],
  ["OR charge OR", ["mid"], 2],
  ['"cache miss"', ["side"], 2],
  ['"cache mi', ["side"], 2],
  ["leaf", ["leaf"], 1],
  ["nowhere", [], 4],
  ["duration>2ms", ["root", "mid"], 2],
  ["duration>=2ms", ["root", "mid", "leaf"], 1],
  ["duration<2000us", ["side"], 2],
  ["self>1.5ms", ["leaf"], 1],
  ["depth<2", ["root"], 3],
  ["status=error", ["mid"], 2],
  ["status!=error payment", ["leaf"], 1],
  ["status=ok", ["side"], 2],
  ["http.status_code>=500", ["mid"], 2],
  ["HTTP.status_code<500", [], 4],
  ["db.statement>1", [], 4],
  ["http.status_code!=404", ["mid"], 2],
  ["http.status_code!=503", [], 4],
  ["service=payment", ["mid", "leaf"], 1],
  ["service=pay", [], 4],
  ['service=Frontend name="render page"', ["side"], 2],
  ["zone=eu-1", ["root", "side"], 2],
  ["db.statement=select", ["leaf"], 1],
  ["service!=payment", ["root", "side"], 2],
  ["zone=~^eu", ["root", "side"], 2],
  ["zone!~^eu", [], 4],
  ["name=~^(get|charge)", ["root", "mid"], 2],
  ["-payment", ["root", "side"], 2],
  ["payment -select", ["mid"], 2],
  ['event!="cache hit"', ["side"], 2],
  // Not finished, and thus no condition yet.
  ["payment duration>", ["mid", "leaf"], 1],
  ["payment duration>5", ["mid", "leaf"], 1],
  ["payment status=er", ["mid", "leaf"], 1],
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

test.each([
  ["duration>fast", "“fast” is no duration: write 100ms or 1.5s"],
  ["status=broken", "“broken” is no status: write error, ok or unset"],
  ["name=~(", "“(” is no regular expression"],
  [`name=~${"a".repeat(201)}`, "a regular expression may have 200 letters"],
])("%s is a fault, said in words, and the rest filters all the same", (text, fault) => {
  expect(filterSpans(trace, text)).toMatchObject({ fault, matchCount: 4 });
  expect(filterSpans(trace, `payment ${text}`)).toMatchObject({ fault, matchCount: 2 });
});

test("matches are gone through in their order, round and round, and are numbered", () => {
  const payment = filterSpans(trace, "payment");
  if (payment === undefined) {
    throw new Error("no filter");
  }
  const spans = [1, 2];
  expect(nextMatch(payment, -1, 1)).toBe(spans[0]);
  expect(nextMatch(payment, 1, 1)).toBe(spans[1]);
  expect(nextMatch(payment, 2, 1)).toBe(spans[0]);
  expect(nextMatch(payment, -1, -1)).toBe(spans[1]);
  expect(nextMatch(payment, 1, -1)).toBe(spans[1]);
  expect([0, 1, 2, 3].map((span) => matchNumber(payment, span))).toEqual([0, 1, 2, 0]);
  const none = filterSpans(trace, "nowhere");
  expect(none && nextMatch(none, 0, 1)).toBe(-1);
});

test("an empty text filters nothing", () => {
  expect(filterSpans(trace, "  ")).toBeUndefined();
});

test.each(["", " ", "-", "status=error", "-status=error", "duration>1s", "duration>", '"a'])(
  "%j filters when a trace is filtered by it",
  (text) => {
    expect(isFilter(text)).toBe(filterSpans(trace, text) !== undefined);
  },
);
