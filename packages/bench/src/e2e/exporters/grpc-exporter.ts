import {
  type ChannelOptions,
  Client,
  compressionAlgorithms,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import { traceService } from "wire/otlp";
import { retryDelayMs } from "wire/retry-info";
import type { ExportAnswer, Exporter, ExporterSettings } from "./exporter.ts";

const { path, requestSerialize, responseDeserialize } = traceService.export;

/**
 * Codes after which a sender tries again.
 * Source: OTLP specification, "OTLP/gRPC Response"; RESOURCE_EXHAUSTED only with a `RetryInfo`
 */
const retryable = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.OUT_OF_RANGE,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

/** OTLP over gRPC. The request bytes are sent as they are. */
export class GrpcExporter implements Exporter {
  readonly #clients: readonly Client[];
  readonly #timeoutMs: number;
  readonly #metadata = new Metadata();
  #next = 0;

  constructor({ endpoint, gzip, connections, timeoutMs }: ExporterSettings) {
    const options: ChannelOptions = {
      // Otherwise all clients of one address share a connection.
      "grpc.use_local_subchannel_pool": 1,
      // A refusal is for us to count; grpc-js must not try again by itself.
      "grpc.enable_retries": 0,
      "grpc.initial_reconnect_backoff_ms": 100,
      "grpc.max_reconnect_backoff_ms": 1000,
      ...(gzip ? { "grpc.default_compression_algorithm": compressionAlgorithms.gzip } : {}),
    };
    this.#clients = Array.from(
      { length: connections },
      () => new Client(endpoint, credentials.createInsecure(), options),
    );
    this.#timeoutMs = timeoutMs;
  }

  export(body: Buffer): Promise<ExportAnswer> {
    const client = this.#clients[this.#next++ % this.#clients.length]!;
    const deadline = Date.now() + this.#timeoutMs;
    return new Promise((resolve) => {
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        body,
        this.#metadata,
        { deadline },
        (error, outcome) => {
          if (error !== null) resolve(answerOf(error));
          else resolve({ outcome: "accepted", rejectedSpans: outcome?.rejectedSpans ?? 0 });
        },
      );
    });
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
  }
}

function answerOf({ code, details, metadata }: ServiceError): ExportAnswer {
  const said = { reason: status[code] ?? String(code), detail: details };
  const [statusDetails] = metadata?.get("grpc-status-details-bin") ?? [];
  const retryAfterMs = Buffer.isBuffer(statusDetails) ? retryDelayMs(statusDetails) : undefined;
  if (retryAfterMs !== undefined && (code === status.RESOURCE_EXHAUSTED || code === status.UNAVAILABLE)) {
    return { outcome: "refused", ...said, retryAfterMs };
  }
  return { outcome: retryable.has(code) ? "unanswered" : "failed", ...said };
}
