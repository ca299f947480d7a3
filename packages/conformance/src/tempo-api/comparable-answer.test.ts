import { expect, test } from "vitest";
import { comparable } from "./comparable-answer.ts";
import { corpusAt } from "./corpus.ts";

const corpus = corpusAt(1_795_335_060_000_000_000n);

test("times near the base are told from it, others stay", () => {
  const told = comparable(
    { a: "1795335065000000000", b: 1_795_335_061_000, c: "from 1795335060 on", d: "9007199254740993", e: 7 },
    corpus,
  );
  expect(told).toEqual({
    a: "base+5000000000",
    b: "base+1000",
    c: "from base+0 on",
    d: "9007199254740993",
    e: 7,
  });
});

test("lists without an order are sorted, counters left out", () => {
  expect(
    comparable(
      { traces: [{ traceID: "b" }, { traceID: "a" }], metrics: { jobs: 3 }, samples: [2, 1] },
      corpus,
    ),
  ).toEqual({
    traces: [{ traceID: "a".padStart(32, "0") }, { traceID: "b".padStart(32, "0") }],
    samples: [2, 1],
  });
});

test("what is zero or empty may be absent, series and values of tags are known by their text", () => {
  const series = [
    { labels: [{ key: "p", value: { doubleValue: 0.5 } }], samples: [{ timestampMs: "7", value: 0 }] },
    { labels: [{ key: "a", value: { stringValue: "x" } }], value: 0.1 + 0.2 },
  ];
  expect(comparable({ series, tagValues: [{ type: "string", value: "" }], tags: [] }, corpus)).toEqual({
    series: [
      { key: "a=x", value: 0.3 },
      { key: "p=0.5", samples: [{ timestampMs: "7" }] },
    ],
    tagValues: ["string: "],
  });
});
