import { expect, test } from "vitest";
import { sceneOf } from "../../../testing/scene-of.ts";
import { type ShortSpan, traceOf } from "../../../testing/trace-of.ts";
import { describeRow } from "./describe-row.ts";

const trace = traceOf([
  ["root", undefined, 0, 1_000, "POST /orders", "shop", true],
  ["charge", "root", 100, 800, "Charge", "payment"],
  ["retry", "charge", 200, 50, "POST", "payment", true],
  ...Array.from(
    { length: 8 },
    (_, at): ShortSpan => [`get${at}`, "root", 910 + at, 1, "GET", "cache", at === 3],
  ),
  ["orphan", "gone", 990, 10, "lost", "shop"],
]);
const span = (id: string) => trace.spans.findIndex(({ spanID }) => spanID === id);

test("a row says what is drawn", () => {
  const peers = new Map([["charge", { percentile: 0.995, peers: 9, medianUs: 1, p95Us: 2, p99Us: 3 }]]);
  const scene = sceneOf(trace, { peers });
  expect(describeRow(scene, span("root"))).toMatch(
    /^shop: POST \/orders, failed, 1\.00\u00a0ms, at \+0\u00a0µs, on the critical path for /,
  );
  expect(describeRow(scene, span("charge"))).toMatch(
    /^payment: Charge, 800\u00a0µs, at \+100\u00a0µs, on the critical path for 750\u00a0µs, p99\.5 of its peers$/,
  );
  expect(describeRow(scene, span("orphan"))).toMatch(/, Its parent is not in this trace$/);
});

test("what is folded is counted", () => {
  const scene = sceneOf(trace, { view: { folded: new Set([span("charge")]) } });
  expect(describeRow(scene, span("charge"))).toMatch(/, 1 below, 1 of them failed$/);
  expect(describeRow(scene, span("get0"))).toMatch(
    /^8 like spans in a row, cache: GET, 1 failed, p50 1\u00a0µs, p95 1\u00a0µs, from \+910\u00a0µs to \+918\u00a0µs$/,
  );
  const open = sceneOf(trace, { view: { openRuns: new Set([span("get0")]) } });
  expect(describeRow(open, span("get0"))).toMatch(/^cache: GET, .*, first of 8 like spans$/);
});

test("what cannot be seen is said: time out of view, names that are empty or endless", () => {
  const scene = sceneOf(trace, { view: { range: { fromUs: 300, toUs: 400 } } });
  expect(describeRow(scene, span("retry"))).toContain(", before the time in view");
  expect(describeRow(scene, span("orphan"))).toContain(", after the time in view");
  const odd = sceneOf(traceOf([["a", undefined, 0, 1, "", "s".repeat(1_000_000)]]));
  expect(describeRow(odd, 0)).toHaveLength(
    "sss…: no name, 1 µs, at +0 µs, on the critical path for 1 µs".length + 197,
  );
});
