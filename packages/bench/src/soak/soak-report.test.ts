import { expect, test } from "vitest";
import type { LoadResult } from "../e2e/load/run-load.ts";
import type { SoakResult, SoakSample } from "./run-soak.ts";
import { describeSoak, drawSoak, soakProblems } from "./soak-report.ts";
import { spanClock } from "./span-clock.ts";

const mebibyte = 1024 * 1024;
const plan = {
  ...{ durationMs: 200_000, rate: 1_000, sampleMs: 5_000, searchPauseMs: 500 },
  clock: spanClock(0, 1),
};

function loadOf(accepted: number): LoadResult {
  return {
    ...{ seconds: 60, reasons: [], behindMs: 3, traceIds: [] },
    calls: { accepted: accepted / 100, refused: 0, unanswered: 0, failed: 0 },
    spans: { accepted, rejected: 0, failed: 0, givenUp: 0, perhapsTwice: 0 },
    latencyMs: { p50: 1, p95: 2, p99: 3, max: 4 },
  };
}

/** @param rssMiB RSS of the collector, by number of the sample */
function resultOf(rssMiB: (index: number) => number, changes: Partial<SoakResult> = {}): SoakResult {
  const samples = Array.from(
    { length: 40 },
    (_, index): SoakSample => ({
      seconds: (index + 1) * 5,
      processes: {
        "tracing-collector": { rssBytes: rssMiB(index) * mebibyte, openFiles: 40, cpuSeconds: index },
      },
      ...{ storageBytes: index * mebibyte, journalBytes: mebibyte, spansAccepted: index * 1_000 },
      ...{ grpcP95Ms: 5, httpP95Ms: 7, searchP95Ms: 40, load: 2 },
    }),
  );
  return {
    plan,
    ...{ samples, grpc: loadOf(9_000), http: loadOf(1_000), searches: { asked: 5, failed: 0, failure: "" } },
    ...{
      agent: { sent: 50, delivered: 48, dropped: 2 },
      stored: { expected: 10_048, found: 10_048, dropped: 0 },
      derived: [],
    },
    ...changes,
  };
}

test("a run that levels off is good", () => {
  const result = resultOf((index) => 200 * (1 - Math.exp(-index / 4)));
  expect(soakProblems(result)).toEqual([]);
  expect(describeSoak(result)).toMatch(
    /spans stored: 10048 of 10048, 0 of them dropped since by retention[\s\S]*nothing is wrong\n$/,
  );
});

test.each<[string, SoakResult, RegExp]>([
  [
    "a block that a view did not write",
    resultOf(() => 100, {
      derived: [
        {
          ...{ table: "span_metrics", day: "2026-11-26", url: "http://127.0.0.1:8123/", counts: "spans" },
          ...{ missing: 610, surplus: 0, isRepaired: false },
        },
      ],
    }),
    /^span_metrics of 2026-11-26: 610 spans missing, 0 too many$/,
  ],
  [
    "memory that grows",
    resultOf((index) => 100 + 3 * index),
    /^tracing-collector: RSS, MiB grows by 2160\.0 an hour$/,
  ],
  [
    "a disk that grows although it is limited",
    resultOf(() => 200, {
      plan: { ...plan, limitsDisk: true },
      samples: resultOf(() => 200).samples.map((sample, index) => ({
        ...sample,
        storageBytes: 10 * index * mebibyte,
      })),
    }),
    /^storage: disk, MiB grows by 7200\.0 an hour$/,
  ],
  [
    "spans that are not there",
    resultOf(() => 200, { stored: { expected: 10_048, found: 10_040, dropped: 0 } }),
    /^8 acknowledged spans are missing$/,
  ],
  [
    "spans twice",
    resultOf(() => 200, { stored: { expected: 10_048, found: 10_050, dropped: 0 } }),
    /^2 spans too many are stored$/,
  ],
  [
    "packets nobody tells of",
    resultOf(() => 200, { agent: { sent: 50, delivered: 40, dropped: 2 } }),
    /^8 packets the agent does not tell of$/,
  ],
  [
    "searches that fail",
    resultOf(() => 200, { searches: { asked: 5, failed: 1, failure: "503: away" } }),
    /^1 of 5 searches failed: 503: away$/,
  ],
])("tells of %s", (_name, result, problem) => {
  expect(soakProblems(result)).toEqual([expect.stringMatching(problem)]);
});

test("draws a panel for each kind of figure", () => {
  const svg = drawSoak(
    resultOf(() => 200),
    "a run",
  );
  for (const title of [
    "resident memory, MiB",
    "disk, MiB",
    "to an acknowledgement, ms",
    "traces by id, ms",
  ]) {
    expect(svg).toContain(title);
  }
});
