import { type Context, ROOT_CONTEXT, type Tracer } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

const propagator = new W3CTraceContextPropagator();
const headerSetter = {
  set(carrier: Record<string, string>, key: string, value: string) {
    carrier[key] = value;
  },
};
const headerGetter = {
  keys: (carrier: Record<string, unknown>) => Object.keys(carrier),
  get: (carrier: Record<string, unknown>, key: string) => {
    const value = carrier[key];
    return typeof value === "string" ? value : undefined;
  },
};

/** The tracing of one service: a tracer of its own provider, so that several services can share one process. */
export interface Telemetry {
  readonly tracer: Tracer;
  shutdown(): Promise<void>;
}

/** Where spans go is told by the standard variable OTEL_EXPORTER_OTLP_ENDPOINT (default http://localhost:4318). */
export function createTelemetry(service: string, version: string): Telemetry {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": service,
      "service.version": version,
      "service.namespace": "shop",
      "deployment.environment.name": "demo",
      "host.name": `${service}-1`,
    }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 500 }),
    ],
  });
  return { tracer: provider.getTracer("example-shop", version), shutdown: () => provider.shutdown() };
}

/** Headers that carry the trace to another service (W3C traceparent). */
export function traceHeaders(context: Context): Record<string, string> {
  const headers: Record<string, string> = {};
  propagator.inject(context, headers, headerSetter);
  return headers;
}

/** The trace that a request belongs to. */
export function contextOf(headers: Record<string, unknown>): Context {
  return propagator.extract(ROOT_CONTEXT, headers, headerGetter);
}
