import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";

/**
 * An exporter that logs once when the collector becomes unreachable, and once, with the number of lost spans, when it
 * is reachable again.
 */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  /** Spans lost since the last successful export. */
  #lost = 0;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) {
        if (this.#lost === 0) {
          this.#log.warn(
            `tracing: spans cannot be sent and are lost until the collector is back: ${messageOf(result.error)}`,
          );
        }
        this.#lost += spans.length;
      } else if (this.#lost > 0) {
        this.#log.info(`tracing: spans are sent again; ${this.#lost} were lost`);
        this.#lost = 0;
      }
      // A failure is reported as success, because it would otherwise also go to the SDK's global error handler.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
