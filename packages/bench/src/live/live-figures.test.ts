import { expect, test } from "vitest";
import { renderTable } from "../report/table.ts";
import { liveColumn, liveProblems } from "./live-figures.ts";
import type { PacedReport } from "./paced-searches.ts";
import type { LiveReport } from "./run-live.ts";

function kind(p50: number, more: Partial<PacedReport> = {}): PacedReport {
  const latencyMs = { p50, p95: 2 * p50, p99: 3 * p50, max: 4 * p50 };
  return { name: "search: tag", asked: 10, empty: 0, failed: 0, failure: "", latencyMs, ...more };
}

const good: LiveReport = {
  title: "ours",
  load: {
    seconds: 2,
    calls: { accepted: 10, refused: 0, unanswered: 0, failed: 0 },
    reasons: [],
    spans: { accepted: 1_000, rejected: 0, failed: 0, givenUp: 0, perhapsTwice: 0 },
    latencyMs: { p50: 1, p95: 1, p99: 1, max: 1 },
    behindMs: 0,
    traceIds: [],
  },
  missing: 0,
  storedSpans: 1_000,
  freshness: { probes: 5, notFound: 0, latencyMs: { p50: 700, p95: 900, p99: 950, max: 990 } },
  live: [kind(30)],
  quiet: [kind(20)],
  cpu: [{ name: "load generator", liveSeconds: 1, quietSeconds: 0.5, rssPeakBytes: 1024 * 1024 }],
  loadAverage: { live: 2, quiet: 1 },
};

test("a search with ingest stands beside itself in the quiet store", () => {
  const table = renderTable([liveColumn(good)]);
  expect(table).toMatch(/^spans\/s accepted +500$/m);
  expect(table).toMatch(/^search: tag, p50 with ingest : quiet +1\.50$/m);
  expect(table).toMatch(/^search: tag, p95 ms, quiet +40\.0$/m);
  expect(liveProblems(good)).toEqual([]);
});

test("a kind that found nothing has no ratio, and every failure is told", () => {
  const broken: LiveReport = {
    ...good,
    missing: 7,
    freshness: { ...good.freshness, notFound: 2 },
    live: [kind(30, { failed: 3, failure: "answered 500" })],
    quiet: [kind(0, { empty: 10 })],
  };
  expect(renderTable([liveColumn(broken)])).not.toContain("with ingest : quiet");
  expect(liveProblems(broken)).toEqual([
    "7 acknowledged spans are missing",
    "2 of 5 fresh traces were not found in time",
    "search: tag: 3 of 10 failed: answered 500",
  ]);
});
