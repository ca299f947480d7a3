import { PartialReasons, unsupported } from "storage/api";
import { expect, test } from "vitest";
import { otlpSpan, sampleStore } from "../service/sample-store.ts";
import { sampleService } from "../testing/sample-service.ts";
import { spanMetricsEndpoint } from "./span-metrics-endpoint.ts";

const request = {
  method: "GET",
  params: new URLSearchParams(),
  contentType: "",
  accept: "",
  pathPart: () => "",
  body: async () => Buffer.alloc(0),
  read: { signal: new AbortController().signal, reasons: new PartialReasons() },
};

test("counters under the names that dashboards know", async () => {
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n;
  const name = 'a "b"\\\n';
  const store = await sampleStore([
    otlpSpan({ startTimeUnixNano, name, durationNano: 3_000_000n }),
    otlpSpan({ startTimeUnixNano, name, spanId: "00000000000000b2", durationNano: 300_000_000n }),
  ]);
  const { answer, style } = spanMetricsEndpoint(sampleService(store));
  expect(style.contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  const lines = [...((await answer(request)) as Iterable<string>)].join("").split("\n");
  const labels = String.raw`service_name="shop",span_name="a \"b\"\\\n",span_kind="SPAN_KIND_SERVER",status_code="STATUS_CODE_UNSET"`;
  expect(lines.slice(0, 5)).toEqual([
    "# HELP traces_span_metrics_calls_total Spans.",
    "# TYPE traces_span_metrics_calls_total counter",
    `traces_span_metrics_calls_total{${labels}} 2`,
    "# HELP traces_span_metrics_duration_milliseconds How long spans last.",
    "# TYPE traces_span_metrics_duration_milliseconds histogram",
  ]);
  const histogram = lines.filter((line) => line.includes("milliseconds_") && !line.startsWith("#"));
  expect(
    histogram.map((line) =>
      line.replace(labels, "").replace("traces_span_metrics_duration_milliseconds", ""),
    ),
  ).toEqual([
    ...['2"} 0', '4"} 1', '6"} 1', '8"} 1', '10"} 1', '50"} 1', '100"} 1', '200"} 1'].map(
      (end) => `_bucket{,le="${end}`,
    ),
    ...['400"} 2', '800"} 2', '1000"} 2', '1400"} 2', '2000"} 2', '5000"} 2'].map(
      (end) => `_bucket{,le="${end}`,
    ),
    ...['10000"} 2', '15000"} 2', '+Inf"} 2'].map((end) => `_bucket{,le="${end}`),
    "_sum{} 303",
    "_count{} 2",
  ]);
});

test("spans and calls between services under the names of Tempo's metrics-generator", async () => {
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n;
  const called = { startTimeUnixNano, parentSpanId: "00000000000000b1", durationNano: 300_000_000n } as const;
  const store = await sampleStore([
    otlpSpan({ startTimeUnixNano, spanId: "00000000000000b1" }),
    otlpSpan({
      ...called,
      spanId: "00000000000000b2",
      service: 'st"ock',
      status: { code: "error", message: "" },
    }),
    otlpSpan({ ...called, spanId: "00000000000000b3", service: "mail", kind: "consumer" }),
  ]);
  const { answer } = spanMetricsEndpoint(sampleService(store));
  const linesOf = async (query: string) => {
    const answered = await answer({ ...request, params: new URLSearchParams(query) });
    return [...(answered as Iterable<string>)].join("").split("\n");
  };
  const lines = await linesOf("names=tempo");
  expect(lines.filter((line) => line.includes("traces_span_metrics"))).toEqual([]);
  expect(lines).toContain(
    String.raw`traces_spanmetrics_calls_total{service="st\"ock",span_name="GET /",span_kind="SPAN_KIND_SERVER",status_code="STATUS_CODE_ERROR"} 1`,
  );
  const latency = lines.filter((line) => /^traces_spanmetrics_latency_bucket.*mail/.test(line));
  expect(latency.map((line) => /le="(.*)"\} (\d)$/.exec(line)?.slice(1).join(" "))).toEqual([
    ...[0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256].map((end) => `${end} 0`),
    ...[0.512, 1.024, 2.048, 4.096, 8.192, 16.384, "+Inf"].map((end) => `${end} 1`),
  ]);
  const stock = String.raw`client="shop",server="st\"ock",connection_type=""`;
  const mail = 'client="shop",server="mail",connection_type="messaging_system"';
  const graph = lines.filter((line) => line.startsWith("traces_service_graph_request_"));
  expect(graph.filter((line) => !line.includes("seconds"))).toEqual([
    `traces_service_graph_request_total{${stock}} 1`,
    `traces_service_graph_request_total{${mail}} 1`,
    `traces_service_graph_request_failed_total{${stock}} 1`,
    `traces_service_graph_request_failed_total{${mail}} 0`,
  ]);
  const seconds = graph.filter((line) => line.includes(`seconds_`) && line.includes(stock));
  expect(seconds.map((line) => line.replace("traces_service_graph_request_server_seconds_", ""))).toEqual([
    ...[0.1, 0.2].map((end) => `bucket{${stock},le="${end}"} 0`),
    ...[0.4, 0.8, 1.6, 3.2, 6.4, 12.8, "+Inf"].map((end) => `bucket{${stock},le="${end}"} 1`),
    expect.stringMatching(/^sum\{.*\} 0\.(28|29|30|31)\d*$/),
    `count{${stock}} 1`,
  ]);
  const both = await linesOf("names=otel&names=tempo");
  expect(both).toEqual([...(await linesOf("")).slice(0, -1), ...lines]);
  await expect(linesOf("names=jaeger")).rejects.toMatchObject({ code: "QUERY_BAD_PARAMETER" });
});

test("a store without counts has none", async () => {
  const { reader } = await sampleStore([]);
  const { answer } = spanMetricsEndpoint(sampleService({ ...unsupported("none"), reader }));
  await expect(answer(request)).rejects.toMatchObject({ code: "QUERY_NOT_SUPPORTED" });
});
