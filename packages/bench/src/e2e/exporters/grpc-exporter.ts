import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type GrpcAnswer, type GrpcStatus, prefixed } from "http-protocols/grpc-client";
import { traceService } from "wire/otlp";
import type { ExportAnswer, Exporter, ExporterSettings, ExportRequest } from "./exporter.ts";
import { GrpcConnection } from "./grpc-connection.ts";

const compress = promisify(gzip);
const { path, responseDeserialize } = traceService.export;

/**
 * Statuses after which a sender tries again.
 * Source: OTLP specification, "OTLP/gRPC Response"; RESOURCE_EXHAUSTED only with a `RetryInfo`
 */
const retryable: ReadonlySet<GrpcStatus> = new Set([
  "CANCELLED",
  "DEADLINE_EXCEEDED",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNAVAILABLE",
  "DATA_LOSS",
]);

/** OTLP over gRPC. The generator has the cores of what it measures, so it is made of the lean client of the agent. */
export class GrpcExporter implements Exporter {
  readonly #connections: readonly GrpcConnection[];
  readonly #gzip: boolean;
  #next = 0;

  constructor({ endpoint, gzip, connections, timeoutMs }: ExporterSettings) {
    this.#gzip = gzip;
    this.#connections = Array.from(
      { length: connections },
      () => new GrpcConnection({ endpoint, path, gzip, timeoutMs }),
    );
  }

  async export({ body, message }: ExportRequest): Promise<ExportAnswer> {
    const connection = this.#connections[this.#next++ % this.#connections.length]!;
    return exportAnswerOf(await connection.call(this.#gzip ? await compressedMessage(body) : message));
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
