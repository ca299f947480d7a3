import { unsupported } from "storage/api";
import { expect, test } from "vitest";
import { sampleService } from "../service/sample-service.ts";
import { otlpSpan, sampleStore } from "../service/sample-store.ts";
import { spanMetricsEndpoint } from "./span-metrics-endpoint.ts";

const request = {
  method: "GET",
  params: new URLSearchParams(),
  accept: "",
  pathPart: () => "",
  body: async () => Buffer.alloc(0),
  read: {},
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

test("a store without counts has none", async () => {
  const { reader } = await sampleStore([]);
  const { answer } = spanMetricsEndpoint(sampleService({ ...unsupported("none"), reader }));
  await expect(answer(request)).rejects.toMatchObject({ code: "QUERY_NOT_SUPPORTED" });
});
