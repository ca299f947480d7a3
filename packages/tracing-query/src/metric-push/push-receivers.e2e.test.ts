// Programs of others take what is pushed: a receiver made of Prometheus' library for remote write 1 and 2, and an
// OpenTelemetry Collector. Both are built by packages/conformance/peers.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, createMetrics } from "lifecycle";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { countersByTenant } from "../service/prometheus-counters.ts";
import { otlpSpan, sampleStore } from "../service/sample-store.ts";
import { spanCounting } from "../service/span-counters.ts";
import { openMetricPush } from "./open-metric-push.ts";

const peers = process.env.PEERS ?? join(homedir(), ".cache", "tracing-and-server", "peers");
const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

/** Starts a program and waits until the address answers anything. */
async function start(name: string, args: readonly string[], url: string): Promise<ChildProcess> {
  const child = spawn(join(peers, name), args, { stdio: "ignore" });
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await vi.waitFor(async () => expect(await answers()).toBe(true), { timeout: 60_000, interval: 50 });
  return child;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child !== undefined) {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
}

/** Pushes three spans to an address, once. @returns the metrics of the push */
async function push(url: { remoteWrite?: string; otlp?: string }): Promise<string> {
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n;
  const store = await sampleStore(
    [3n, 300n, 99_000n].map((ms, index) =>
      otlpSpan({
        ...{ startTimeUnixNano, durationNano: ms * 1_000_000n, name: 'a "b"\\\n ä' },
        spanId: (index + 1).toString(16).padStart(16, "0"),
      }),
    ),
  );
  const metrics = createMetrics("tracing-query");
  const pushing = openMetricPush(
    {
      "query.metrics-push.remote-write-url": url.remoteWrite ?? "",
      "query.metrics-push.otlp-url": url.otlp ?? "",
      "query.metrics-push.interval": 60_000,
      "query.metrics-push.headers": new Map(),
      "query.metrics-push.tenant": "",
      "multi-tenancy.enabled": false,
    },
    { reader: store.reader, readCounters: countersByTenant(spanCounting, store.metrics) },
    { log, metrics },
  );
  await pushing.push();
  await pushing.close(new AbortController().signal);
  return await metrics.metrics();
}

interface TakenRequest {
  readonly message: string;
  readonly bytes: number;
  readonly series: {
    readonly labels: Record<string, string>;
    readonly values: number[];
    readonly type: string;
    readonly help: string;
    readonly exemplars: { readonly labels: Record<string, string>; readonly value: number }[] | null;
  }[];
}

const hasReceiver = existsSync(join(peers, "remote-write-receiver"));

describe.skipIf(!hasReceiver)("Prometheus' receiver of remote write (skipped without $PEERS)", () => {
  let receiver: ChildProcess | undefined;
  let url = "";
  beforeAll(async () => {
    const [address = ""] = await freeAddresses(1);
    url = `http://${address}`;
    receiver = await start("remote-write-receiver", [address], `${url}/requests`);
  });
  afterAll(() => end(receiver));

  /** Pushes, and answers what the receiver took in between. */
  async function taken(path: string): Promise<TakenRequest[]> {
    const requests = async () =>
      ((await (await fetch(`${url}/requests`)).json()) as TakenRequest[] | null) ?? [];
    const before = (await requests()).length;
    expect(await push({ remoteWrite: url + path })).toMatch(/series_total\{.*result="sent"\} 1\n/);
    return (await requests()).slice(before);
  }

  test.each(["/api/v1/write", "/v2"])("takes version 2 at %s", async (path) => {
    const [request, ...more] = await taken(path);
    expect(more).toEqual([]);
    expect(request?.message).toBe("io.prometheus.write.v2.Request");
    const find = (name: string, le?: string) =>
      request?.series.find(({ labels }) => labels.__name__ === name && labels.le === le);
    expect(find("traces_span_metrics_calls_total")).toMatchObject({
      labels: { service_name: "shop", span_name: 'a "b"\\\n ä', status_code: "STATUS_CODE_UNSET" },
      ...{ values: [3], type: "METRIC_TYPE_COUNTER", help: "Spans." },
    });
    expect(find("traces_span_metrics_duration_milliseconds_bucket", "400")).toMatchObject({
      ...{ values: [2], type: "METRIC_TYPE_HISTOGRAM" },
      exemplars: [{ value: 300, labels: { span_id: "0000000000000002" } }],
    });
  });

  test("takes version 1 where it answers 415 to version 2", async () => {
    const [request, ...more] = await taken("/v1");
    expect(more).toEqual([]);
    expect(request?.message).toBe("prometheus.WriteRequest");
    expect(request?.bytes).toBeGreaterThan(1_000);
  });
});

/** Metrics as OTLP's JSON has them. */
interface OtlpMetrics {
  readonly resourceMetrics: {
    readonly scopeMetrics: { readonly metrics: Record<string, { readonly dataPoints: object[] }>[] }[];
  }[];
}

const hasCollector = existsSync(join(peers, "otelcol-client"));

test.skipIf(!hasCollector)(
  "an OpenTelemetry Collector takes what is pushed by OTLP (skipped without $PEERS)",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "otelcol-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const exported: OtlpMetrics[] = [];
    const sink = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) {
        text += String(chunk);
      }
      exported.push(JSON.parse(text));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void sink.close());
    const [address = ""] = await freeAddresses(1);
    const target = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
    const config = {
      receivers: { otlp: { protocols: { http: { endpoint: address } } } },
      exporters: { otlphttp: { endpoint: target, encoding: "json", compression: "none" } },
      service: {
        telemetry: { metrics: { level: "none" } },
        pipelines: { metrics: { receivers: ["otlp"], exporters: ["otlphttp"] } },
      },
    };
    await writeFile(join(folder, "config.json"), JSON.stringify(config));
    const args = ["--config", `file:${join(folder, "config.json")}`];
    const collector = await start("otelcol-client", args, `http://${address}/`);
    onTestFinished(() => end(collector));
    expect(await push({ otlp: `http://${address}/v1/metrics` })).toMatch(
      /series_total\{.*result="sent"\} 1\n/,
    );
    await vi.waitFor(() => expect(exported).toHaveLength(1), { timeout: 60_000 });
    const [sum, histogram] = exported[0]?.resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [];
    expect(sum).toMatchObject({
      name: "traces.span.metrics.calls",
      sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: [{ asInt: "3" }] },
    });
    expect(histogram).toMatchObject({
      ...{ name: "traces.span.metrics.duration", unit: "ms" },
      histogram: { aggregationTemporality: 2, dataPoints: [{ count: "3", sum: 99_303 }] },
    });
    const [point] = (histogram?.histogram?.dataPoints ?? []) as { exemplars: { traceId: string }[] }[];
    expect(point?.exemplars.map(({ traceId }) => traceId)).toHaveLength(3);
    expect(point?.exemplars[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
  },
);
