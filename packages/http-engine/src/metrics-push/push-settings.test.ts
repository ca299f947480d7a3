import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { otlpMetricsExporter } from "./otlp-metrics-exporter.ts";
import { readPushSettings } from "./push-settings.ts";

const push = "OTEL_METRIC_EXPORT_TIMEOUT";
const request = "OTEL_EXPORTER_OTLP_TIMEOUT";
const requestOfMetrics = "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT";

test.each([
  [{}, 30_000],
  [{ [push]: "40000" }, 40_000],
  [{ [request]: "5000" }, 5_000],
  [{ [request]: "60000" }, 30_000],
  [{ [request]: "5000", [requestOfMetrics]: "7000" }, 7_000],
  [{ [push]: "1000", [requestOfMetrics]: "7000" }, 1_000],
])("%j: a push may take %d ms, over both transports", (environment, timeoutMs) => {
  const grpc = { ...environment, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
  expect(readPushSettings(environment)).toMatchObject({ timeoutMs, grpc: undefined });
  expect(readPushSettings(grpc)).toMatchObject({ timeoutMs, grpc: { timeoutMs } });
});

test("over HTTP the limit of the push counts, and no other of the exporter", async () => {
  const server = createServer((call, response) => {
    call.resume().on("end", () => setTimeout(() => response.end(), 100));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${port}`);
  vi.stubEnv(request, "20"); // stands for a default of the exporter that is smaller than the limit
  const exporter = otlpMetricsExporter(20_000, undefined);
  await exporter.send([]);
  await exporter.close();
});
