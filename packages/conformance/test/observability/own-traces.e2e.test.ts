// The processes trace themselves. A search is a trace through query service and storage, found like any other. The
// collector's spans about its own requests must not create ever more spans.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type AllProcesses, openAllProcesses } from "../../src/all-processes/all-processes.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentSpanId = "b7ad6b7169203331";
const secret = "not-for-spans";

const answer = z.object({
  data: z.array(
    z.object({
      spans: z.array(
        z.object({
          spanID: z.string(),
          operationName: z.string(),
          processID: z.string(),
          references: z.array(z.object({ spanID: z.string() })),
          tags: z.array(z.object({ key: z.string(), value: z.unknown() })),
        }),
      ),
      processes: z.record(z.string(), z.object({ serviceName: z.string() })),
    }),
  ),
});

let backend: AllProcesses;
beforeAll(async () => {
  backend = await openAllProcesses({ ownTraces: true });
});
afterAll(() => backend?.close());

async function spansOf(id: string) {
  const found = await fetch(`${backend.addresses.query}/api/traces/${id}`, {
    headers: { "x-tracing-own-spans": "1" },
  });
  if (!found.ok) {
    return [];
  }
  const [trace] = answer.parse(await found.json()).data;
  return (trace?.spans ?? []).map((span) => ({
    ...span,
    service: trace?.processes[span.processID]?.serviceName,
    parent: span.references[0]?.spanID,
  }));
}

async function counted(process: { readonly metricsUrl: string }, name: string): Promise<number> {
  const text = await (await fetch(process.metricsUrl)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))];
  return values.reduce((sum, [, value]) => sum + Number(value), 0);
}

describe("own traces", () => {
  test("a search is a trace with the calls of storage in it, and no values", async () => {
    const { query } = backend.addresses;
    const searched = await fetch(`${query}/api/traces?service=${secret}`, {
      headers: { traceparent: `00-${traceId}-${parentSpanId}-01` },
    });
    expect(searched.status).toBe(200);
    // The request's span ends last, but the storage's span may arrive after it.
    const there = async () => {
      const found = await spansOf(traceId);
      const isWhole = found.some(({ operationName }) => operationName === "GET /api/traces");
      return { isWhole, services: new Set(found.map(({ service }) => service)) };
    };
    await expect
      .poll(there, { timeout: 60_000 })
      .toEqual({ isWhole: true, services: new Set(["tracing-query", "tracing-storage"]) });
    const spans = await spansOf(traceId);
    const root = spans.find(({ operationName }) => operationName === "GET /api/traces");
    const read = spans.find(({ operationName }) => operationName === "find_traces");
    const call = spans.find(
      ({ operationName, service }) => operationName === "SELECT" && service === "tracing-query",
    );
    const atStorage = spans.find(({ service }) => service === "tracing-storage");
    expect(root?.service).toBe("tracing-query");
    expect(read?.parent).toBe(root?.spanID);
    expect(call?.parent).toBe(read?.spanID);
    expect(call?.tags).toContainEqual(expect.objectContaining({ key: "db.operation.name", value: "SELECT" }));
    expect(spans.map(({ spanID }) => spanID)).toContain(atStorage?.parent);
    expect(JSON.stringify(spans)).not.toContain(secret);
  });

  test("own spans do not beget spans", async () => {
    const { otlpHttp } = backend.addresses;
    // Two requests of other clients give two spans. The requests that send these spans, and the inserts of these spans,
    // give no spans.
    const before = await counted(backend.collector, "tracing_tracer_reporter_spans_total");
    for (let each = 0; each < 2; each++) {
      const sent = await fetch(`${otlpHttp}/v1/traces`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: "{}",
      });
      expect(sent.status).toBe(200);
    }
    const ofCollector = () => counted(backend.collector, "tracing_tracer_reporter_spans_total");
    await expect.poll(ofCollector, { timeout: 60_000 }).toBe(before + 2);
    const requests = () => counted(backend.collector, "tracing_collector_requests_total");
    const beforeTheLoop = await requests();
    // After three more rounds of senders and storage, each of which could have created a span about the previous one.
    for (let round = 1; round <= 3; round++) {
      await fetch(`${backend.addresses.query}/api/services`);
      await expect.poll(requests, { timeout: 60_000 }).toBeGreaterThanOrEqual(beforeTheLoop + round);
    }
    expect(await ofCollector()).toBe(before + 2);
  });
});
