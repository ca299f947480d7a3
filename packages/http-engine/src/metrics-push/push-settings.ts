import { ServerError } from "server-core/errors";
import { type Environment, otlpProtocol, wholeNumber } from "server-core/otlp/environment-values";
import { type GrpcSettings, readGrpcSettings } from "server-core/otlp/grpc-settings";

/** Transport, interval and time limit of pushed metrics. */
export interface PushSettings {
  /**
   * Settings of a collector over gRPC; undefined: exports go over HTTP to the URL that the exporter reads from the
   * environment.
   */
  readonly grpc: GrpcSettings | undefined;
  /** Milliseconds from one push to the next push. */
  readonly intervalMs: number;
  /** Time limit of one push in milliseconds, including its retries, over HTTP and gRPC. */
  readonly timeoutMs: number;
}

/**
 * Reads the settings for pushing metrics from the environment: `OTEL_METRICS_EXPORTER` (otlp),
 * `OTEL_METRIC_EXPORT_INTERVAL` (60000 ms), `OTEL_METRIC_EXPORT_TIMEOUT` (30000 ms). A smaller
 * `OTEL_EXPORTER_OTLP_TIMEOUT` holds too, but not its default of 10 s, which would shorten every push. The exporter reads
 * the address from `OTEL_EXPORTER_OTLP_*`.
 * @returns undefined when `OTEL_METRICS_EXPORTER` is `none`
 * @throws ServerError MODULE_CONFIG for an invalid value
 * Source: OpenTelemetry specification, "Environment Variable Specification"
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
  const timeoutMs = pushTimeoutMs(environment);
  return {
    grpc:
      otlpProtocol(environment, "METRICS", "metrics") === "grpc"
        ? { ...readGrpcSettings(environment, "METRICS"), timeoutMs }
        : undefined,
    intervalMs: wholeNumber(environment, "OTEL_METRIC_EXPORT_INTERVAL", 60_000),
    timeoutMs,
  };
}

function pushTimeoutMs(environment: Environment): number {
  const pushMs = wholeNumber(environment, "OTEL_METRIC_EXPORT_TIMEOUT", 30_000);
  const requestMs =
    wholeNumber(environment, "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", 0) ||
    wholeNumber(environment, "OTEL_EXPORTER_OTLP_TIMEOUT", 0);
  return requestMs === 0 ? pushMs : Math.min(requestMs, pushMs);
}
