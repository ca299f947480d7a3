import { ExportResultCode, hrTime, millisToHrTime } from "@opentelemetry/core";
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from "@opentelemetry/otlp-exporter-base/node-http";
import { MetricsExporterMetricsHelper, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { version } from "lifecycle";
import { defaultServiceName, otlpResource } from "../../modules/handlers/tracing/otlp-resource.ts";
import { type MetricOfRegistry, metricsAsOtlp } from "./metrics-as-otlp.ts";

/** Sends metrics to a collector. */
export interface MetricsExporter {
  /** Sends them, again where the collector asks for that. @throws what the collector or the network said at last */
  send(metrics: readonly MetricOfRegistry[]): Promise<void>;
  /** Closes connections. */
  close(): Promise<void>;
}

/**
 * OTLP over HTTP in protobuf, to where `OTEL_EXPORTER_OTLP_*` says: the same transport as that of spans.
 * @param timeoutMs how long a push may take, unless `OTEL_EXPORTER_OTLP_TIMEOUT` says less
 */
export function otlpMetricsExporter(timeoutMs: number): MetricsExporter {
  const options = convertLegacyHttpOptions({}, "METRICS", "v1/metrics", {
    "Content-Type": "application/x-protobuf",
  });
  const delegate = createOtlpHttpExportDelegate(
    { ...options, timeoutMillis: Math.min(options.timeoutMillis, timeoutMs) },
    ProtobufMetricsSerializer,
    "otlp_http_metric_exporter",
    MetricsExporterMetricsHelper,
    undefined,
  );
  const resource = otlpResource().merge(
    resourceFromAttributes({
      "webengine.name": defaultServiceName,
      "webengine.version": version.gitVersion,
    }),
  );
  const scope = { name: defaultServiceName, version: version.gitVersion };
  const startTime = millisToHrTime(performance.timeOrigin);
  return {
    send: (metrics) =>
      new Promise((resolve, reject) => {
        const data = metricsAsOtlp(metrics, { startTime, endTime: hrTime() });
        delegate.export({ resource, scopeMetrics: [{ scope, metrics: data }] }, ({ code, error }) => {
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
