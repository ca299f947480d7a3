import { ServerError } from "server-core/errors";
import { type Environment, otlpProtocol, wholeNumber } from "server-core/otlp/environment-values";
import { type GrpcSettings, readGrpcSettings } from "server-core/otlp/grpc-settings";

/** When metrics are pushed, and how. */
export interface PushSettings {
  /** Where they go over gRPC; undefined: over HTTP, to where the exporter itself reads. */
  readonly grpc: GrpcSettings | undefined;
  /** Time from one push to the next. */
  readonly intervalMs: number;
  /** How long one push may take, with its repetitions. */
  readonly timeoutMs: number;
}

/**
 * The settings of pushing metrics in the environment: `OTEL_METRICS_EXPORTER` (otlp),
 * `OTEL_METRIC_EXPORT_INTERVAL` (60000 ms), `OTEL_METRIC_EXPORT_TIMEOUT` (30000 ms). The exporter reads the
 * address from `OTEL_EXPORTER_OTLP_*`.
 * @returns undefined where `OTEL_METRICS_EXPORTER` is none
 * @throws ServerError MODULE_CONFIG Source: OpenTelemetry specification, "Environment Variable Specification"
 */
export function readPushSettings(environment: Environment): PushSettings | undefined {
  const exporter = environment.OTEL_METRICS_EXPORTER || "otlp";
  if (exporter === "none") {
    return undefined;
  }
  if (exporter !== "otlp") {
    throw new ServerError(
      "MODULE_CONFIG",
      `environment variable OTEL_METRICS_EXPORTER: ${JSON.stringify(exporter)} is neither otlp nor none`,
    );
  }
  return {
    grpc:
      otlpProtocol(environment, "METRICS", "metrics") === "grpc"
        ? readGrpcSettings(environment, "METRICS")
        : undefined,
    intervalMs: wholeNumber(environment, "OTEL_METRIC_EXPORT_INTERVAL", 60_000),
    timeoutMs: wholeNumber(environment, "OTEL_METRIC_EXPORT_TIMEOUT", 30_000),
  };
}
