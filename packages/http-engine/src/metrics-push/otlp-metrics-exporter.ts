import { ExportResultCode, hrTime, millisToHrTime } from "@opentelemetry/core";
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from "@opentelemetry/otlp-exporter-base/node-http";
import { MetricsExporterMetricsHelper, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { version } from "lifecycle";
import { GrpcSender } from "server-core/otlp/grpc-sender";
import type { GrpcSettings } from "server-core/otlp/grpc-settings";
import { defaultServiceName, otlpResource } from "server-core/otlp/otlp-resource";
import { type MetricOfRegistry, metricsAsOtlp } from "./metrics-as-otlp.ts";

const metricsService = "opentelemetry.proto.collector.metrics.v1.MetricsService";

/** Sends metrics to a collector. */
export interface MetricsExporter {
  /**
   * Sends metrics, and repeats an export when the collector asks for a retry. @throws the last error of the collector
   * or the network
   */
  send(metrics: readonly MetricOfRegistry[]): Promise<void>;
  /** Closes the connections to the collector. */
  close(): Promise<void>;
}

/** One export over HTTP or gRPC, without repetition. */
interface MetricsTransport {
  /** @throws the last error of the collector or the network */
  send(request: ResourceMetrics): Promise<void>;
  /** Closes the connections without waiting for a running export. */
  close(): Promise<void>;
}

function overHttp(timeoutMs: number): MetricsTransport {
  const options = convertLegacyHttpOptions({}, "METRICS", "v1/metrics", {
    "Content-Type": "application/x-protobuf",
  });
  const delegate = createOtlpHttpExportDelegate(
    { ...options, timeoutMillis: timeoutMs },
    ProtobufMetricsSerializer,
    "otlp_http_metric_exporter",
    MetricsExporterMetricsHelper,
    undefined,
  );
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        delegate.export(request, ({ code, error }) => {
          if (code === ExportResultCode.SUCCESS) {
            resolve();
          } else {
            reject(error ?? new Error("the export failed"));
          }
        });
      }),
    close: () => delegate.shutdown(),
  };
}

function overGrpc(timeoutMs: number, settings: GrpcSettings): MetricsTransport {
  const sender = new GrpcSender(settings, metricsService, timeoutMs);
  return {
    send: (request) => sender.send(ProtobufMetricsSerializer.serializeRequest(request) ?? new Uint8Array()),
    async close() {
      sender.close();
    },
  };
}

/**
 * Creates an exporter of OTLP in protobuf, over the same transports as spans.
 * @param timeoutMs limit of one push in milliseconds, with its retries
 * @param grpc settings of a collector over gRPC; undefined: exports go over HTTP to the URL in `OTEL_EXPORTER_OTLP_*`
 */
export function otlpMetricsExporter(timeoutMs: number, grpc: GrpcSettings | undefined): MetricsExporter {
  const transport = grpc === undefined ? overHttp(timeoutMs) : overGrpc(timeoutMs, grpc);
  const resource = otlpResource().merge(
    resourceFromAttributes({
      "webengine.name": defaultServiceName,
      "webengine.version": version.gitVersion,
    }),
  );
  const scope = { name: defaultServiceName, version: version.gitVersion };
  const startTime = millisToHrTime(performance.timeOrigin);
  return {
    send(metrics) {
      const data = metricsAsOtlp(metrics, { startTime, endTime: hrTime() });
      return transport.send({ resource, scopeMetrics: [{ scope, metrics: data }] });
    },
    close: () => transport.close(),
  };
}
