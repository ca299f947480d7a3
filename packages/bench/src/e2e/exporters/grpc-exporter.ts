import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type GrpcAnswer, type GrpcStatus, prefixed, UnaryClient } from "http-protocols/grpc-client";
import { traceService } from "wire/otlp";
import type { ExportAnswer, Exporter, ExporterSettings, ExportRequest } from "./exporter.ts";

const compress = promisify(gzip);
/** Milliseconds for opening a connection; then the call fails, and the next call tries again. */
const connectTimeoutMs = 1000;
const { path, responseDeserialize } = traceService.export;

/**
 * Statuses after which a sender retries. Source: OTLP specification, "OTLP/gRPC Response"; RESOURCE_EXHAUSTED only with
 * a `RetryInfo`
 */
const retryable: ReadonlySet<GrpcStatus> = new Set([
  "CANCELLED",
  "DEADLINE_EXCEEDED",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNAVAILABLE",
  "DATA_LOSS",
]);

/**
 * Sends OTLP over gRPC. The generator shares the cores with the measured program, so it uses the agent's client, which
 * costs little.
 */
export class GrpcExporter implements Exporter {
  readonly #connections: readonly UnaryClient[];
  readonly #gzip: boolean;
  readonly #timeoutMs: number;
  #next = 0;

  constructor({ endpoint, gzip, connections, timeoutMs }: ExporterSettings) {
    this.#gzip = gzip;
    this.#timeoutMs = timeoutMs;
    const origin = `http://${endpoint}`;
    const headers = { "user-agent": "bench" };
    this.#connections = Array.from(
      { length: connections },
      () => new UnaryClient({ origin, path, headers, gzip, connectTimeoutMs }),
    );
  }

  async export({ body, message }: ExportRequest): Promise<ExportAnswer> {
    const connection = this.#connections[this.#next++ % this.#connections.length]!;
    const sent = this.#gzip ? await compressedMessage(body) : message;
    return exportAnswerOf(await connection.call(sent, this.#timeoutMs));
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) {
      connection.close();
    }
  }
}

async function compressedMessage(body: Buffer): Promise<Buffer> {
  const message = prefixed(await compress(body));
  message[0] = 1;
  return message;
}

function exportAnswerOf({ status, details, message, retryDelayMs }: GrpcAnswer): ExportAnswer {
  if (status === "OK") {
    return { outcome: "accepted", rejectedSpans: responseDeserialize(message).rejectedSpans };
  }
  const said = { reason: status, detail: details };
  if (retryDelayMs !== undefined && (status === "RESOURCE_EXHAUSTED" || status === "UNAVAILABLE")) {
    return { outcome: "refused", ...said, retryAfterMs: retryDelayMs };
  }
  return { outcome: retryable.has(status) ? "unanswered" : "failed", ...said };
}
