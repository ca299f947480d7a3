import { setTimeout as sleep } from "node:timers/promises";
import type { Tracer } from "@opentelemetry/api";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { SimpleSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { SpanBatch, SpanLedger } from "./span-ledger.ts";

export interface SdkSenderSettings {
  /** `service.name`, which identifies its spans in the collectors' metrics. */
  readonly service: string;
  readonly exporter: SpanExporter;
  readonly ledger: SpanLedger;
}

type ExportResult = Parameters<Parameters<SpanExporter["export"]>[1]>[0];

/** `ExportResultCode.SUCCESS` of the SDK. */
const success = 0;
/** Pause in milliseconds of an application whose last span was lost. */
const pauseAfterLossMs = 50;

/**
 * An application with OpenTelemetry's SDK for JavaScript: one span after another. The ledger records the fate of each
 * span as the SDK reports it. Spans that the SDK repeats keep their ids.
 */
export class SdkSender {
  /** The reasons why spans were dropped, in order. */
  readonly losses: string[] = [];
  readonly #settings: SdkSenderSettings;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  #batch: SpanBatch | undefined;
  #exported = Promise.withResolvers<ExportResult>();

  constructor(settings: SdkSenderSettings) {
    this.#settings = settings;
    const { service, exporter } = settings;
    const watched: SpanExporter = {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          done(result);
          this.#exported.resolve(result);
        }),
      shutdown: () => exporter.shutdown(),
    };
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ "service.name": service }),
      idGenerator: {
        generateTraceId: () => this.#batch?.traceId.toString("hex") ?? "",
        generateSpanId: () => this.#batch?.spanIds[0]?.toString("hex") ?? "",
      },
      spanProcessors: [new SimpleSpanProcessor({ exporter: watched })],
    });
    this.#tracer = this.#provider.getTracer("faults");
  }

  /** Sends a span. @returns true when the SDK reports success; false when it has dropped the span */
  async send(): Promise<boolean> {
    const { service, ledger } = this.#settings;
    const { batch, settle } = ledger.open(service, 1);
    this.#batch = batch;
    this.#exported = Promise.withResolvers();
    this.#tracer.startSpan("work").end();
    const { code, error } = await this.#exported.promise;
    if (code === success) {
      settle("acknowledged");
    } else {
      this.losses.push(error?.message ?? `code ${code}`);
    }
    return code === success;
  }

  /** Resolves when `count` more spans were accepted. @throws Error after `withinMs` */
  async more(count: number, withinMs: number): Promise<void> {
    const end = Date.now() + withinMs;
    for (let taken = 0; taken < count; ) {
      if (await this.send()) {
        taken++;
        continue;
      }
      if (Date.now() > end) {
        throw new Error(
          `${this.#settings.service}: ${taken} of ${count} spans within ${withinMs} ms: ${this.losses.at(-1)}`,
        );
      }
      await sleep(pauseAfterLossMs);
    }
  }

  async close(): Promise<void> {
    await this.#provider.shutdown();
  }
}
