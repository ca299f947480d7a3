import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { context, type Tracer, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import OpenAI from "openai";

/** The tracing of the assistant. */
export interface Telemetry {
  readonly tracer: Tracer;
  shutdown(): Promise<void>;
}

/**
 * Traces every call of OpenAI's client in this process. The standard variable OTEL_EXPORTER_OTLP_ENDPOINT says where spans
 * go (default http://localhost:4318).
 */
export function startTelemetry(): Telemetry {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "assistant", "service.version": "0.1.0" }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 500 }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  // Calls of the client become children of the agent's span.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  new OpenAIInstrumentation({ tracerProvider: provider }).manuallyInstrument(OpenAI);
  return { tracer: provider.getTracer("example-assistant", "0.1.0"), shutdown: () => provider.shutdown() };
}
