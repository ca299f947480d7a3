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
