import { promisify } from "node:util";
import { gzip } from "node:zlib";
import {
  type GrpcAnswer,
  type GrpcStatus,
  grpcStatusNames,
  prefixed,
  UnaryClient,
} from "http-protocols/grpc-client";
import type { GrpcSettings } from "./grpc-settings.ts";

const gzipped = promisify(gzip);

/** Statuses after which an export may be repeated. Source: OTLP specification, "OTLP/gRPC Response" */
const repeatable: ReadonlySet<GrpcStatus> = new Set([
  "CANCELLED",
  "DEADLINE_EXCEEDED",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNAVAILABLE",
  "DATA_LOSS",
]);

export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly repeatable: boolean;

  constructor({ status, details, retryDelayMs }: GrpcAnswer) {
    super(`${details || "no reason given"} (gRPC status ${grpcStatusNames.indexOf(status)})`);
    // RESOURCE_EXHAUSTED is worth a retry only if the collector sends a delay.
    this.repeatable = status === "RESOURCE_EXHAUSTED" ? retryDelayMs !== undefined : repeatable.has(status);
  }
}

/** Client for exports of one signal to one collector. */
export class GrpcClient {
  readonly #client: UnaryClient;
  readonly #gzip: boolean;

  /** @param path `/<service>/<method>` */
  constructor({ origin, headers, gzip, ca, cert, key }: GrpcSettings, path: string) {
    this.#gzip = gzip;
    this.#client = new UnaryClient({ origin, path, headers, gzip, tls: { ca, cert, key } });
  }

  /** @throws GrpcError */
  async call(message: Uint8Array, timeoutMs: number): Promise<void> {
    const answer = await this.#client.call(await this.#framed(message), timeoutMs);
    if (answer.status !== "OK") {
      throw new GrpcError(answer);
    }
  }

  close(): void {
    this.#client.close();
  }

  async #framed(message: Uint8Array): Promise<Buffer> {
    if (!this.#gzip) {
      return prefixed(message);
    }
    const frame = prefixed(await gzipped(message));
    frame[0] = 1;
    return frame;
  }
}
