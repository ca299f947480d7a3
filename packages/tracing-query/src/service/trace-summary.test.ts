import type { PackedTrace } from "storage/api";
import { expect, test } from "vitest";
import type { Span } from "wire/model";
import { storedTrace } from "../testing/stored-trace.ts";
import { otlpSpan, sampleTraceId } from "./sample-store.ts";
import { summarizeTraces, type TraceSummary } from "./trace-summary.ts";

const startNano = 1_784_721_600_000_000_000n;
const noSkew = { maxClockSkewNano: 0n };

function spanOf(id: number, parent: number, more: Parameters<typeof otlpSpan>[0] = {}): Span {
  const hex = (number: number) => (number === 0 ? "" : number.toString(16).padStart(16, "0"));
  return otlpSpan({
    spanId: hex(id),
    parentSpanId: hex(parent),
    startTimeUnixNano: startNano,
    durationNano: 100n,
    ...more,
  });
}

/** Summary of spans, checked to be the same for objects and for the rows of a store. */
async function summaryOf(spans: Span[], adjust = noSkew): Promise<TraceSummary | undefined> {
  const trace: PackedTrace = { traceId: sampleTraceId, spans };
  const [summary] = await summarizeTraces([trace], adjust);
  expect(await summarizeTraces([storedTrace(spans)], adjust)).toEqual([summary]);
  return summary;
}

const failed = { status: { code: "error", message: "" } } as const;

test("counts spans, errors and orphans of each service, and names the earliest root", async () => {
  const spans = [
    spanOf(1, 0, { name: "later root", startTimeUnixNano: startNano + 1n }),
    spanOf(2, 0, { name: "root", service: "front" }),
    spanOf(3, 2, { service: "db", durationNano: 900n, ...failed }),
    spanOf(4, 2, { service: "db", startTimeUnixNano: startNano + 50n, durationNano: -10n }),
    spanOf(5, 99, { name: "older orphan", service: "cart", startTimeUnixNano: startNano - 5n, ...failed }),
  ];
  expect(await summaryOf(spans)).toEqual({
    traceId: sampleTraceId,
    rootServiceName: "front",
    rootOperationName: "root",
    minStartTimeUnixNano: startNano - 5n,
    maxEndTimeUnixNano: startNano + 900n,
    spanCount: 5,
    errorSpanCount: 2,
    orphanSpanCount: 1,
    services: [
      { name: "cart", spanCount: 1, errorSpanCount: 1 },
      { name: "db", spanCount: 2, errorSpanCount: 1 },
      { name: "front", spanCount: 1, errorSpanCount: 0 },
      { name: "shop", spanCount: 1, errorSpanCount: 0 },
    ],
  });
});

test("has no root where every span names a parent", async () => {
  expect(await summaryOf([spanOf(1, 7), spanOf(2, 1)])).toMatchObject({
    rootServiceName: "",
    rootOperationName: "",
    orphanSpanCount: 1,
  });
});

test("tells times as they are shown: with clocks adjusted", async () => {
  const host = (ip: string) => [{ key: "ip", value: { type: "string", value: ip } } as const];
  const spans = [
    spanOf(1, 0, { resourceAttributes: host("10.0.0.1") }),
    spanOf(2, 1, {
      resourceAttributes: host("10.0.0.2"),
      startTimeUnixNano: startNano - 1_000n,
      durationNano: 50n,
    }),
  ];
  const ends = { maxEndTimeUnixNano: startNano + 100n };
  expect(await summaryOf(spans)).toMatchObject({ minStartTimeUnixNano: startNano - 1_000n, ...ends });
  expect(await summaryOf(spans, { maxClockSkewNano: 5_000n })).toMatchObject({
    minStartTimeUnixNano: startNano,
    ...ends,
  });
});

test("takes spans that share an id as they are", async () => {
  const spans = [
    spanOf(1, 0, { format: "zipkin", kind: "client" }),
    spanOf(1, 0, { format: "zipkin", kind: "server", service: "db" }),
    spanOf(2, 9, { format: "zipkin", service: "db" }),
  ];
  expect(await summaryOf(spans)).toMatchObject({ spanCount: 3, orphanSpanCount: 1, rootServiceName: "shop" });
});
