import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger, createMetrics } from "lifecycle";
import { expect, onTestFinished, test } from "vitest";
import { decompress } from "wire/compression";
import { ExportMetricsServiceRequest, WriteRequest, WriteRequestV2 } from "wire/metrics-push";
import { countersByTenant } from "../service/prometheus-counters.ts";
import { otlpSpan, sampleStore } from "../service/sample-store.ts";
import { spanCounting } from "../service/span-counters.ts";
import { type MetricPushSettings, openMetricPush } from "./open-metric-push.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** @param status status for a body of remote write 2; others get 200 */
async function receiver(status = 200) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    received.push({ path: request.url ?? "", headers: request.headers, bytes: Buffer.concat(chunks) });
    const isV2 = request.headers["content-type"]?.includes("v2") === true;
    const written = { "x-prometheus-remote-write-samples-written": "1" };
    response.writeHead(isV2 ? status : 200, status === 200 ? written : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function settingsOf(settings: Partial<MetricPushSettings>): MetricPushSettings {
  return {
    "query.metrics-push.remote-write-url": "",
    "query.metrics-push.otlp-url": "",
    "query.metrics-push.interval": 60_000,
    "query.metrics-push.headers": new Map(),
    "query.metrics-push.tenant": "",
    "multi-tenancy.enabled": false,
    ...settings,
  };
}

async function pushed(settings: (url: string) => Partial<MetricPushSettings>, status?: number) {
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n;
  const store = await sampleStore([
    otlpSpan({ startTimeUnixNano, durationNano: 3_000_000n }),
    otlpSpan({ startTimeUnixNano, spanId: "00000000000000b2", durationNano: 300_000_000n }),
    otlpSpan({ startTimeUnixNano, spanId: "00000000000000b3", durationNano: 99_000_000_000n }),
  ]);
  const { received, url } = await receiver(status);
  const metrics = createMetrics("tracing-query");
  const source = { reader: store.reader, readCounters: countersByTenant(spanCounting, store.metrics) };
  const push = openMetricPush(settingsOf(settings(url)), source, { log, metrics });
  await push.push();
  await push.close(new AbortController().signal);
  return { received, text: await metrics.metrics(), startTimeUnixNano };
}

/** The body as version 1 has it, whichever version it is. */
const readV1 = (bytes: Buffer) => WriteRequest.decode(decompress(bytes, "snappy", 1e6));

/** Series of remote write 2 with their texts. */
function readV2(bytes: Buffer) {
  const { symbols, timeseries } = WriteRequestV2.decode(decompress(bytes, "snappy", 1e6));
  const labelsOf = (refs: readonly number[]) =>
    Array.from({ length: refs.length / 2 }, (_, index) => ({
      name: symbols[refs[2 * index] ?? 0] ?? "",
      value: symbols[refs[2 * index + 1] ?? 0] ?? "",
    }));
  const series = timeseries.map(({ labelsRefs, exemplars, samples, metadata }) => ({
    labels: labelsOf(labelsRefs),
    samples,
    exemplars: exemplars.map(({ labelsRefs: refs, ...rest }) => ({ ...rest, labels: labelsOf(refs) })),
    metadata: { type: metadata?.type, help: symbols[metadata?.helpRef ?? 0] },
  }));
  return { symbols, series };
}

const bucketName = "traces_span_metrics_duration_milliseconds_bucket";

interface ReadSeries {
  readonly labels: readonly { readonly name: string; readonly value: string }[];
  readonly samples: readonly { readonly value: number; readonly timestamp: bigint }[];
  readonly exemplars: readonly { readonly value: number; readonly labels: readonly { name: string }[] }[];
}

/** Expects the counts, buckets and exemplars of `pushed`. */
function expectSamples(timeseries: readonly ReadSeries[]): void {
  for (const { labels } of timeseries) {
    expect(labels.map(({ name }) => name)).toEqual(labels.map(({ name }) => name).toSorted());
  }
  const seriesOf = (name: string, le?: string) =>
    timeseries.find(
      ({ labels }) =>
        labels.some((label) => label.name === "__name__" && label.value === name) &&
        labels.find((label) => label.name === "le")?.value === le,
    );
  expect(seriesOf("traces_span_metrics_calls_total")?.samples[0]?.value).toBe(3);
  expect(
    ["2", "4", "200", "400", "15000", "+Inf"].map((le) => seriesOf(bucketName, le)?.samples[0]?.value),
  ).toEqual([0, 1, 1, 2, 2, 3]);
  expect(seriesOf("traces_span_metrics_duration_milliseconds_count")?.samples[0]?.value).toBe(3);
  const [exemplar] = seriesOf(bucketName, "400")?.exemplars ?? [];
  expect(exemplar).toMatchObject({ value: 300 });
  expect(exemplar?.labels.map(({ name }) => name)).toEqual(["span_id", "trace_id"]);
  expect(seriesOf(bucketName, "200")?.exemplars).toEqual([]);
  expect(seriesOf(bucketName, "+Inf")?.exemplars[0]?.value).toBe(99_000);
}

test("writes counters and histograms with exemplars by remote write 2", async () => {
  const { received, text } = await pushed((url) => ({
    "query.metrics-push.remote-write-url": `${url}/api/v1/write`,
    "query.metrics-push.headers": new Map([["authorization", "Bearer x"]]),
  }));
  expect(received).toHaveLength(1);
  const [{ headers, bytes }] = received as [Received];
  expect(headers).toMatchObject({
    "content-type": "application/x-protobuf;proto=io.prometheus.write.v2.Request",
    "content-encoding": "snappy",
    "x-prometheus-remote-write-version": "2.0.0",
    authorization: "Bearer x",
  });
  const { symbols, series } = readV2(bytes);
  expect(symbols[0]).toBe("");
  expect(new Set(symbols).size).toBe(symbols.length);
  expectSamples(series);
  const facts = new Map(
    series.map(({ labels, metadata }) => [labels.find(({ name }) => name === "__name__")?.value, metadata]),
  );
  expect(facts.get("traces_span_metrics_calls_total")).toEqual({ type: 1, help: "Spans." });
  expect(facts.get(bucketName)).toEqual({ type: 3, help: "How long spans last." });
  const [sample] = series[0]?.samples ?? [];
  expect(sample?.startTimestamp).toBeGreaterThan(0n);
  expect(sample?.startTimestamp).toBeLessThanOrEqual(sample?.timestamp ?? 0n);
  // A receiver of version 1 finds nothing in it, and above all nothing wrong.
  expect(readV1(bytes)).toEqual({ timeseries: [], metadata: [] });
  expect(text).toMatch(/tracing_query_metrics_push_series_total\{kind="remote-write".*result="sent"\} 1/);
});

test.each([204, 415])("writes the same by remote write 1 after %i", async (status) => {
  const { received, text } = await pushed(
    (url) => ({
      "query.metrics-push.remote-write-url": url,
      "query.metrics-push.headers": new Map([["authorization", "Bearer x"]]),
    }),
    status,
  );
  expect(received).toHaveLength(2);
  const [, { headers, bytes }] = received as [Received, Received];
  expect(headers).toMatchObject({
    "content-type": "application/x-protobuf",
    "content-encoding": "snappy",
    "x-prometheus-remote-write-version": "0.1.0",
    authorization: "Bearer x",
  });
  const { timeseries, metadata } = readV1(bytes);
  expect(metadata).toEqual([
    { type: 1, metricFamilyName: "traces_span_metrics_calls_total", help: "Spans.", unit: "" },
    {
      ...{ type: 3, metricFamilyName: "traces_span_metrics_duration_milliseconds" },
      ...{ help: "How long spans last.", unit: "" },
    },
  ]);
  expectSamples(timeseries);
  expect(text).toMatch(/tracing_query_metrics_push_series_total\{kind="remote-write".*result="sent"\} 1/);
});

test("sends an exemplar once, and none of the future", async () => {
  const now = BigInt(Date.now()) * 1_000_000n;
  const store = await sampleStore([
    otlpSpan({ startTimeUnixNano: now, durationNano: 3_000_000n }),
    otlpSpan({ startTimeUnixNano: now + 3_600_000_000_000n, spanId: "00000000000000b2", name: "later" }),
  ]);
  const { received, url } = await receiver();
  const source = { reader: store.reader, readCounters: countersByTenant(spanCounting, store.metrics) };
  const settings = settingsOf({ "query.metrics-push.remote-write-url": url });
  const push = openMetricPush(settings, source, { log, metrics: createMetrics("tracing-query") });
  await push.push();
  await push.push();
  await push.close(new AbortController().signal);
  const exemplars = received.map(({ bytes }) => readV2(bytes).series.flatMap((series) => series.exemplars));
  expect(exemplars.map((list) => list.length)).toEqual([1, 0]);
});

test("sends the same counts by OTLP", async () => {
  const { received } = await pushed((url) => ({ "query.metrics-push.otlp-url": `${url}/v1/metrics` }));
  const [{ path, bytes }] = received as [Received];
  expect(path).toBe("/v1/metrics");
  const [sum, histogram] =
    ExportMetricsServiceRequest.decode(bytes).resourceMetrics[0]?.scopeMetrics[0]?.metrics ?? [];
  expect(sum).toMatchObject({
    name: "traces.span.metrics.calls",
    data: {
      $case: "sum",
      value: {
        isMonotonic: true,
        aggregationTemporality: 2,
        dataPoints: [{ value: { $case: "asInt", value: 3n } }],
      },
    },
  });
  const data = histogram?.data;
  const point = data?.$case === "histogram" ? data.value.dataPoints[0] : undefined;
  expect(point).toMatchObject({ count: 3n, sum: 99_303 });
  expect(point?.bucketCounts.length).toBe((point?.explicitBounds.length ?? 0) + 1);
  expect(point?.bucketCounts.reduce((total, count) => total + count, 0n)).toBe(3n);
  expect(point?.exemplars.map(({ traceId }) => traceId.length)).toEqual([16, 16, 16]);
});

test("names the tenant's option when tenants are on, or off", () => {
  const parts = { log, metrics: createMetrics("tracing-query") };
  const source = {} as Parameters<typeof openMetricPush>[1];
  expect(() => openMetricPush(settingsOf({ "multi-tenancy.enabled": true }), source, parts)).toThrow(
    /--query.metrics-push.tenant: name the tenant/,
  );
  expect(() => openMetricPush(settingsOf({ "query.metrics-push.tenant": "a" }), source, parts)).toThrow(
    /without --multi-tenancy.enabled/,
  );
});
