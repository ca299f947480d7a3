import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import { GrpcSender } from "server-core/otlp/grpc-sender";
import type { GrpcSettings } from "server-core/otlp/grpc-settings";

/** gRPC service of collectors. Source: OTLP 1.0, gRPC */
const traceService = "opentelemetry.proto.collector.trace.v1.TraceService";
/** Maximum number of running exports; the spans of further exports are dropped, as in the HTTP exporter. */
const maxUnderWay = 30;

/** Sends spans over gRPC. */
export class GrpcSpanExporter implements SpanExporter {
  readonly #sender: GrpcSender;
  /** Exports that have no answer yet. */
  readonly #underWay = new Set<Promise<void>>();

  constructor(settings: GrpcSettings) {
    this.#sender = new GrpcSender(settings, traceService);
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    if (this.#underWay.size >= maxUnderWay) {
      done({ code: ExportResultCode.FAILED, error: new Error("too many exports are under way") });
      return;
    }
    const message = ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
    const sending = this.#sender
      .send(message)
      .then(
        () => done({ code: ExportResultCode.SUCCESS }),
        (error: Error) => done({ code: ExportResultCode.FAILED, error }),
      )
      .finally(() => this.#underWay.delete(sending));
    this.#underWay.add(sending);
  }

  async forceFlush(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    this.#sender.close();
  }
}
