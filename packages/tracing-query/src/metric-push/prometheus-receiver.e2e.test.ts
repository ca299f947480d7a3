// A real Prometheus takes what is pushed. Debian's package prometheus has it.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createMetrics } from "lifecycle";
import { freeAddresses } from "lifecycle/testing";
import type { TraceStore } from "storage/api";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { countersByTenant } from "../service/prometheus-counters.ts";
import { otlpSpan, sampleStore } from "../service/sample-store.ts";
import { spanCounting } from "../service/span-counters.ts";
import { openMetricPush } from "./open-metric-push.ts";

const isThere = spawnSync("prometheus", ["--version"]).status === 0;
const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

let folder: string;
let prometheus: ChildProcess | undefined;
let address = "";

/** Starts the receiver on `address`, with what it stored before. */
async function start(): Promise<void> {
  prometheus = spawn(
    "prometheus",
    [
      ...[`--config.file=${join(folder, "config.yaml")}`, `--storage.tsdb.path=${join(folder, "data")}`],
      ...[`--web.listen-address=${address}`, "--web.enable-remote-write-receiver"],
      "--enable-feature=exemplar-storage",
    ],
    { stdio: "ignore" },
  );
  const ready = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitFor(async () => expect(await ready()).toBe(true), { timeout: 60_000, interval: 100 });
}

async function end(): Promise<void> {
  if (prometheus !== undefined) {
    const exited = once(prometheus, "exit");
    prometheus.kill("SIGTERM");
    await exited;
    prometheus = undefined;
  }
}

beforeAll(async () => {
  if (!isThere) {
    return;
  }
  folder = await mkdtemp(join(tmpdir(), "prometheus-"));
  await writeFile(join(folder, "config.yaml"), "storage: { exemplars: { max_exemplars: 1000 } }\n");
  [address = ""] = await freeAddresses(1);
  await start();
});

afterAll(async () => {
  await end();
  if (isThere) {
    await rm(folder, { recursive: true, force: true });
  }
});

/** The values of a query, by the label `le`, or by "" without one. */
async function valuesOf(query: string): Promise<Record<string, number>> {
  const answer = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(query)}`);
  const { data } = (await answer.json()) as {
    data: { result: { metric: { le?: string }; value: [number, string] }[] };
  };
  return Object.fromEntries(data.result.map(({ metric, value }) => [metric.le ?? "", Number(value[1])]));
}

async function storeWith(names: readonly string[]): Promise<TraceStore> {
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n;
  return await sampleStore(
    names.map((name, index) =>
      otlpSpan({
        ...{ startTimeUnixNano, name, durationNano: 300_000_000n },
        spanId: (index + 1).toString(16).padStart(16, "0"),
      }),
    ),
  );
}

function pushOf(store: TraceStore) {
  return openMetricPush(
    {
      "query.metrics-push.remote-write-url": `http://${address}/api/v1/write`,
      "query.metrics-push.otlp-url": "",
      "query.metrics-push.interval": 60_000,
      "query.metrics-push.headers": new Map(),
      "query.metrics-push.tenant": "",
      "multi-tenancy.enabled": false,
    },
    { reader: store.reader, readCounters: countersByTenant(spanCounting, store.metrics) },
    { log, metrics: createMetrics("tracing-query") },
  );
}

test.skipIf(!isThere)(
  "a Prometheus has the counts, the buckets and the exemplars that were pushed",
  async () => {
    const name = 'a "b"\\\n ä\u0000';
    const push = pushOf(await storeWith([name, name, "empty", ""]));
    await push.push();
    await push.close(new AbortController().signal);
    const calls = "traces_span_metrics_calls_total";
    await expect.poll(() => valuesOf(`sum(${calls}{service_name="shop"})`)).toEqual({ "": 4 });
    expect(await valuesOf(`count(${calls}{span_name=""})`)).toEqual({ "": 1 });
    const buckets = await valuesOf("sum by (le) (traces_span_metrics_duration_milliseconds_bucket)");
    expect(buckets).toMatchObject({ "200": 0, "400": 4, "+Inf": 4 });
    expect(
      await valuesOf("histogram_quantile(1, sum by (le) (traces_span_metrics_duration_milliseconds_bucket))"),
    ).toEqual({ "": 400 });
    const found = await fetch(
      `http://${address}/api/v1/query_exemplars?query=traces_span_metrics_duration_milliseconds_bucket&start=0&end=9999999999`,
    );
    const { data } = (await found.json()) as { data: { exemplars: { labels: { trace_id: string } }[] }[] };
    expect(data.length).toBe(3);
    expect(data[0]?.exemplars[0]?.labels.trace_id).toMatch(/^[0-9a-f]{32}$/);
  },
);

test.skipIf(!isThere)(
  "what is pushed while a Prometheus is away arrives when it is back",
  async () => {
    const push = pushOf(await storeWith(["away"]));
    await end();
    await push.push();
    await start();
    const query = 'traces_span_metrics_calls_total{span_name="away"}';
    await expect.poll(() => valuesOf(query), { timeout: 60_000 }).toEqual({ "": 1 });
    await push.close(new AbortController().signal);
  },
  120_000,
);
