import type { MetricFamily, MetricPoint } from "wire/metrics-query";
import { goJson } from "../go-text/quote.ts";

/** Writes NaN and the infinities as strings. */
function doubleJson(value: number): string {
  return Number.isFinite(value) ? String(value) : `"${value}"`;
}

function pointJson({ value, timestamp }: MetricPoint): string {
  const gauge = value?.$case === "gaugeValue" ? value.value.value : undefined;
  const number = gauge?.$case === "doubleValue" ? gauge.value : 0;
  const unixMs = Number(timestamp?.seconds ?? 0n) * 1_000 + Math.trunc((timestamp?.nanos ?? 0) / 1e6);
  const time = new Date(unixMs).toISOString().replace(".000Z", "Z");
  return `{"gaugeValue":{"doubleValue":${doubleJson(number)}},"timestamp":"${time}"}`;
}

/**
 * Writes a family of gauges as protobuf JSON, one piece for each series. Source: protobuf.dev, "ProtoJSON Format"
 */
export function* metricFamilyJson({ name, help, metrics }: MetricFamily): Generator<string> {
  yield `{"name":${goJson(name)},"type":"GAUGE","help":${goJson(help)},"metrics":[`;
  let separator = "";
  for (const { labels, metricPoints } of metrics) {
    const named = labels.map((label) => ({ name: label.name, value: label.value }));
    yield `${separator}{"labels":${goJson(named)},"metricPoints":[${metricPoints.map(pointJson).join(",")}]}`;
    separator = ",";
  }
  yield "]}";
}
