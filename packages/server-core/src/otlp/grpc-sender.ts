import { setTimeout as pause } from "node:timers/promises";
import { GrpcClient, GrpcError } from "./grpc-client.ts";
import type { GrpcSettings } from "./grpc-settings.ts";

/**
 * Maximum number of attempts for one export; the pauses between them grow. The exporters over HTTP use the same limit
 * and pauses.
 */
const maxAttempts = 5;
const firstPauseMs = 1_000;
const pauseFactor = 1.5;
const jitter = 0.2;

/** Sends OTLP messages over gRPC, with retries. */
export class GrpcSender {
  readonly #client: GrpcClient;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();

  /**
   * @param service `opentelemetry.proto.collector.….v1.…Service`. @param timeoutMs upper limit for the timeout of the
   * settings
   */
  constructor(settings: GrpcSettings, service: string, timeoutMs = Number.POSITIVE_INFINITY) {
    this.#client = new GrpcClient(settings, `/${service}/Export`);
    this.#timeoutMs = Math.min(settings.timeoutMs, timeoutMs);
  }

  /** @throws GrpcError the last error of the collector or the network */
  async send(message: Uint8Array): Promise<void> {
    const deadline = performance.now() + this.#timeoutMs;
    let pauseMs = firstPauseMs;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#client.call(message, deadline - performance.now());
      } catch (error) {
        const waitMs = pauseMs * (1 + jitter * (2 * Math.random() - 1));
        const isLast = attempt === maxAttempts || performance.now() + waitMs >= deadline;
        if (!(error instanceof GrpcError && error.repeatable) || isLast || this.#closing.signal.aborted) {
          throw error;
        }
        await pause(waitMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
        pauseMs *= pauseFactor;
      }
    }
  }

  close(): void {
    this.#closing.abort();
    this.#client.close();
  }
}
