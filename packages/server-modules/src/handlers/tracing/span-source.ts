import { DiagLogLevel, diag, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { Resource } from "@opentelemetry/resources";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions";
import { type Logger, version } from "lifecycle";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import { otlpProtocol } from "server-core/otlp/environment-values";
import { readGrpcSettings } from "server-core/otlp/grpc-settings";
import { defaultServiceName, otlpResource } from "server-core/otlp/otlp-resource";
import { GrpcSpanExporter } from "./grpc-span-exporter.ts";
import { samplerOf, spanQueueLimits } from "./otel-environment.ts";
import { parseRemoteSettings, RemoteSampler } from "./remote-sampler.ts";
import { ReportingExporter } from "./reporting-exporter.ts";

/** Matches the SDK's message for a full queue. Only this message is logged here; the exporter logs other failures. */
const droppedMessage = /^Dropped \d+ spans/;
/** Milliseconds for sending the last spans when the last tracing handler is closed. */
const flushTimeoutMs = 2_000;

/** Replaces the SDK's own log, and passes on only the message about dropped spans. */
function logDroppedSpans(log: Logger): void {
  const warn = (message: string) => {
    if (droppedMessage.test(message)) {
      log.warn(`tracing: ${message}`);
    }
  };
  const silent = () => {};
  diag.setLogger(
    { error: silent, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

/**
 * Creates spans and sends them to the collector in the background. It is configured by the standard `OTEL_*` variables
 * (`OTEL_EXPORTER_OTLP_ENDPOINT`, default http://localhost:4318, over gRPC http://localhost:4317). All tracing handlers
 * share one source, which outlives reloads.
 */
export class SpanSource implements SharedResource {
  /** Creates the spans of all handlers. */
  readonly tracer: Tracer;
  /** Owns the queue and the exporter. */
  readonly #provider: TracerProvider;
  #remoteSampler: RemoteSampler | undefined;

  /** @throws ServerError MODULE_CONFIG for an invalid variable */
  constructor(environment: Readonly<Record<string, string | undefined>>, log: Logger) {
    const protocol = otlpProtocol(environment, "TRACES", "tracing");
    const spans =
      protocol === "grpc"
        ? new GrpcSpanExporter(readGrpcSettings(environment, "TRACES"))
        : new OTLPTraceExporter();
    const resource = otlpResource();
    logDroppedSpans(log);
    const exporter = new ReportingExporter(spans, log);
    this.#provider = new TracerProvider({
      resource,
      sampler: samplerOf(environment, () => this.#startRemoteSampler(environment, resource, log)),
      spanProcessors: [new BatchSpanProcessor({ exporter, ...spanQueueLimits(environment) })],
    });
    this.tracer = this.#provider.getTracer("server", version.gitVersion);
  }

  /** Starts the sampler `jaeger_remote`. It uses its initial rate until the collector answers. */
  #startRemoteSampler(
    environment: Readonly<Record<string, string | undefined>>,
    resource: Resource,
    log: Logger,
  ): RemoteSampler {
    const settings = parseRemoteSettings(environment.OTEL_TRACES_SAMPLER_ARG ?? "");
    const service = String(resource.attributes[ATTR_SERVICE_NAME] ?? defaultServiceName);
    this.#remoteSampler = new RemoteSampler(settings, service, log);
    void this.#remoteSampler.start();
    return this.#remoteSampler;
  }

  /** Sends the remaining spans, within 2 seconds. */
  async close(): Promise<void> {
    this.#remoteSampler?.stop();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, flushTimeoutMs);
    });
    await Promise.race([this.#provider.shutdown().catch(() => {}), timeout]);
    clearTimeout(timer);
  }
}

/** All configs share one source, because the environment does not change while the process runs. */
export const spanSources: ResourceKind<SpanSource> = { name: "tracing.span-source" };
