import { setTimeout as pause } from "node:timers/promises";
import { GrpcClient, GrpcError } from "./grpc-client.ts";
import type { GrpcSettings } from "./grpc-settings.ts";

/** Most attempts of one export, after growing pauses. The exporters over HTTP use the same numbers. */
const maxAttempts = 5;
const firstPauseMs = 1_000;
const pauseFactor = 1.5;
const jitter = 0.2;

/** Sends messages of OTLP over gRPC, again where the collector may be luckier later. */
export class GrpcSender {
  readonly #client: GrpcClient;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();

  /** @param service `opentelemetry.proto.collector.….v1.…Service`. @param timeoutMs at most, whatever the settings say */
  constructor(settings: GrpcSettings, service: string, timeoutMs = Number.POSITIVE_INFINITY) {
    this.#client = new GrpcClient(settings, `/${service}/Export`);
    this.#timeoutMs = Math.min(settings.timeoutMs, timeoutMs);
  }

  /** @throws GrpcError what the collector or the network said at last */
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
