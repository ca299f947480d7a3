import { beforeEach, describe, expect, test } from "vitest";
import { rowsOf, type SpanOutline, spanOf } from "../../../test/span-rows-fixture.ts";
import { parseTailPolicies } from "./tail-policies.ts";
import { TailSampler } from "./tail-sampler.ts";

let nowMs: number;
let events: unknown[][];

beforeEach(() => {
  nowMs = 1_000;
  events = [];
});

function samplerOf(policies: object[], maxTraces = 1_000): TailSampler {
  return new TailSampler(
    {
      policies: parseTailPolicies({ policies }, "test"),
      decisionWaitMs: 30_000,
      maxTraces,
      now: () => nowMs,
    },
    {
      traceDecided: (policy, early) =>
        void events.push(["trace", policy ?? "dropped", ...(early ? ["early"] : [])]),
      spansDecided: (policy, spans) => void events.push(["spans", policy ?? "dropped", spans]),
      lateSpans: (spans) => void events.push(["late", spans]),
      forgottenSpans: (spans) => void events.push(["forgotten", spans]),
    },
  );
}

const traceId = (number: number) => number.toString(16).padStart(32, "0");
const child = { parentSpanId: "00000000000000aa" };

/** Observes each list as a request, waits until the window has passed, and returns the policy that kept the trace. */
function decide(policies: object[], ...requests: SpanOutline[][]): unknown {
  const sampler = samplerOf(policies);
  for (const request of requests) {
    sampler.observe(rowsOf(request.map(spanOf)));
  }
  nowMs += 30_000;
  sampler.decideUpTo(nowMs);
  expect(sampler.openTraces).toBe(0);
  expect(events).toHaveLength(1);
  return events[0]?.[1];
}

describe("policies", () => {
  test.each<[string, object, SpanOutline[], boolean]>([
    ["error: a failed span", { type: "error" }, [{}, { ...child, status: "error" }], true],
    ["error: none", { type: "error" }, [{}, { ...child, status: "ok" }], false],
    [
      "error of a service",
      { type: "error", services: ["cart"] },
      [{}, { service: "cart", status: "error" }],
      true,
    ],
    [
      "error of another",
      { type: "error", services: ["cart"] },
      [{ service: "cart" }, { status: "error" }],
      false,
    ],
    [
      "slow span",
      { type: "latency", of: "span", threshold: "1s" },
      [{}, { ...child, durationMs: 1_000 }],
      true,
    ],
    [
      "fast span",
      { type: "latency", of: "span", threshold: "1s" },
      [{}, { ...child, durationMs: 999 }],
      false,
    ],
    [
      "slow trace of fast spans",
      { type: "latency", threshold: "1s" },
      [
        { startMs: 10_500, durationMs: 500 },
        { ...child, startMs: 10_000, durationMs: 1 },
      ],
      true,
    ],
    [
      "fast trace",
      { type: "latency", threshold: "1s" },
      [
        { startMs: 10_499, durationMs: 500 },
        { ...child, startMs: 10_000, durationMs: 1 },
      ],
      false,
    ],
    [
      "slow trace of a service, by its root",
      { type: "latency", threshold: "1s", services: ["shop"] },
      [{ ...child, service: "cart", durationMs: 2_000 }, { service: "shop" }],
      true,
    ],
    [
      "slow trace of another service",
      { type: "latency", threshold: "1s", services: ["cart"] },
      [{ ...child, service: "cart", durationMs: 2_000 }, { service: "shop" }],
      false,
    ],
    ["attribute", { type: "attribute", key: "tier" }, [{}, { attributes: { tier: "x" } }], true],
    ["attribute, absent", { type: "attribute", key: "tier" }, [{ attributes: { tie: "x" } }], false],
    ["attribute, value", { type: "attribute", key: "n", values: [7] }, [{ attributes: { n: "7" } }], true],
    [
      "attribute, other value",
      { type: "attribute", key: "n", values: [7] },
      [{ attributes: { n: "8" } }],
      false,
    ],
    [
      "attribute of the resource",
      { type: "attribute", key: "zone", values: ["a"] },
      [{ resource: [{ key: "zone", value: { type: "string", value: "a" } }] }],
      true,
    ],
    ["probability 1", { type: "probability", ratio: 1 }, [{}], true],
    ["probability 0", { type: "probability", ratio: 0 }, [{}], false],
    ["rate", { type: "rate", "traces-per-minute": 1 }, [{}], true],
    ["rate of another service", { type: "rate", "traces-per-minute": 1, services: ["cart"] }, [{}], false],
  ])("%s", (_, policy, spans, isKept) => {
    const keeps = isKept ? (policy as { type: string }).type : "dropped";
    expect(decide([policy], spans)).toBe(keeps);
    events = [];
    // The result must be the same when each span arrives alone.
    expect(decide([policy], ...spans.map((span) => [span]))).toBe(keeps);
  });

  test("the first that fits keeps the trace", () => {
    const policies = [
      { type: "error" },
      { type: "latency", threshold: "1ms" },
      { type: "probability", ratio: 1 },
    ];
    expect(decide(policies, [{ status: "error" }])).toBe("error");
    events = [];
    expect(decide(policies, [{}])).toBe("latency");
  });

  test("probability keeps about its part, and the same traces everywhere", () => {
    const spans = Array.from({ length: 2_000 }, (_, index) => spanOf({ traceId: traceId(index + 1) }));
    const verdicts = [0, 1].map(() => {
      events = [];
      const sampler = samplerOf([{ type: "probability", ratio: 0.3 }], 10_000);
      sampler.observe(rowsOf(spans));
      sampler.decideAll();
      return events.map(([, policy]) => policy);
    });
    expect(verdicts[0]).toEqual(verdicts[1]);
    const kept = verdicts[0]?.filter((policy) => policy === "probability").length;
    expect(kept).toBeGreaterThan(500);
    expect(kept).toBeLessThan(700);
  });
});

describe("rate", () => {
  function decideMany(policy: object, outlines: SpanOutline[]): unknown[] {
    const sampler = samplerOf([policy]);
    sampler.observe(
      rowsOf(outlines.map((outline, index) => spanOf({ traceId: traceId(index + 1), ...outline }))),
    );
    nowMs += 30_000;
    sampler.decideUpTo(nowMs);
    return events.map(([, by]) => (by === "dropped" ? 0 : 1));
  }

  test("so many of each service", () => {
    const outlines = ["a", "a", "b", "a", "b", "b"].map((service) => ({ service }));
    expect(decideMany({ type: "rate", "traces-per-minute": 2 }, outlines)).toEqual([1, 1, 1, 0, 1, 0]);
  });

  test("so many of each operation", () => {
    const outlines = ["x", "y", "x", "y"].map((name) => ({ name }));
    const policy = { type: "rate", "traces-per-minute": 1, per: "operation" };
    expect(decideMany(policy, [...outlines, { name: "x", service: "other" }])).toEqual([1, 1, 0, 0, 1]);
  });

  test("starts anew with each minute", () => {
    const sampler = samplerOf([{ type: "rate", "traces-per-minute": 1 }]);
    for (let trace = 1; trace <= 4; trace++) {
      sampler.observe(rowsOf([spanOf({ traceId: traceId(trace) })]));
      nowMs += 30_000;
    }
    sampler.decideUpTo(nowMs);
    expect(events.map(([, policy]) => policy)).toEqual(["rate", "rate", "dropped", "rate"]);
  });
});

describe("time and memory", () => {
  test("a trace is decided when its window is over, not before; late spans follow", () => {
    const sampler = samplerOf([{ type: "error" }]);
    sampler.observe(rowsOf([spanOf({})]));
    nowMs += 29_999;
    sampler.decideUpTo(nowMs);
    expect(events).toEqual([]);
    nowMs += 1;
    sampler.decideUpTo(nowMs);
    expect(events).toEqual([["trace", "dropped"]]);
    const late = rowsOf([spanOf({ status: "error" }), spanOf({ name: "b" })]);
    sampler.observe(late);
    const verdicts = sampler.judge(late);
    expect([0, 1].map((row) => verdicts.isKept(row))).toEqual([false, false]);
    expect(events.slice(1)).toEqual([
      ["late", 2],
      ["spans", "dropped", 2],
    ]);
  });

  test("past max-traces the oldest is decided early", () => {
    const sampler = samplerOf([{ type: "probability", ratio: 1 }], 100);
    sampler.observe(
      rowsOf(Array.from({ length: 103 }, (_, index) => spanOf({ traceId: traceId(index + 1) }))),
    );
    expect(sampler.openTraces).toBe(100);
    expect(events).toEqual(Array.from({ length: 3 }, () => ["trace", "probability", "early"]));
  });

  test("spans of a trace whose decision is forgotten are kept, and counted", () => {
    const sampler = samplerOf([{ type: "error" }], 100);
    const first = rowsOf([spanOf({ traceId: traceId(1) })]);
    sampler.observe(first);
    for (let trace = 2; trace < 500; trace++) {
      sampler.observe(rowsOf([spanOf({ traceId: traceId(trace) })]));
    }
    expect(sampler.openTraces).toBe(100);
    events = [];
    expect(sampler.judge(first).isKept(0)).toBe(true);
    expect(events).toEqual([["forgotten", 1]]);
  });
});
