import { setTimeout as sleep } from "node:timers/promises";
import type { GrpcAnswer, GrpcStatus } from "http-protocols/grpc-client";
import type { Logger } from "lifecycle";
import type { AgentMetrics } from "../agent-metrics.ts";
import { collectorMethods } from "./collector-methods.ts";
import type { CollectorPool } from "./collector-pool.ts";
import { retryPauseMs } from "./retry-pause.ts";

/** Errors after which another try, or another collector, may succeed. */
const retryable: ReadonlySet<GrpcStatus> = new Set([
  "UNAVAILABLE",
  "RESOURCE_EXHAUSTED",
  "CANCELLED", // A collector that shuts down cancels calls; the agent never does.
]);

/**
 * Texts of gRPC servers for a message over their limit; the status may also be RESOURCE_EXHAUSTED. A retry of such a
 * message would fail as well.
 */
const tooLarge = /message larger than max|decompresses to a size larger/i;

/** Settings of the reporter, with the collectors that it sends to. */
export interface GrpcReporterSettings {
  readonly collectors: CollectorPool;
  /** Maximum number of retries of a call. After the last retry the spans are dropped and counted. */
  readonly maxRetries: number;
  readonly metrics: AgentMetrics;
  readonly log: Logger;
}

/**
 * Sends batches to the collectors in turn. A call that fails for a temporary reason is repeated at the next collector
 * after a pause. After the last retry its spans are dropped and counted. When a collector requests a pause
 * (`RetryInfo`), the reporter respects it; while all collectors request a pause, calls wait.
 */
export class GrpcReporter {
  readonly #settings: GrpcReporterSettings;
  readonly #stopping = new AbortController();
  #spansLost = 0;

  constructor(settings: GrpcReporterSettings) {
    this.#settings = settings;
  }

  /**
   * Resolves when the batch was delivered or given up; never rejects.
   * @param request a `PostSpansRequest` with gRPC's prefix
   * @param spans number of spans in the request
   * @returns true when the bytes of the request may be overwritten; false when a connection may still use them
   */
  async report(request: Buffer, spans: number): Promise<boolean> {
    const { collectors, maxRetries, metrics } = this.#settings;
    for (let retries = 0; ; retries++) {
      await collectors.unpaused(this.#stopping.signal);
      const answer = await collectors.call(collectorMethods.postSpans, request);
      if (answer.status === "OK") {
        metrics.batchSubmitted(spans);
        this.#logRecovery();
        return retries === 0;
      }
      if (!mayPass(answer) || retries >= maxRetries || this.#stopping.signal.aborted) {
        metrics.batchFailed(spans, answer.status);
        this.#logLoss(spans, `${answer.status}: ${answer.details}`);
        return false;
      }
      metrics.retried(answer.status);
      await this.#pause(retries);
    }
  }

  /** After this call, the reporter no longer repeats failed calls. */
  stopRetrying(): void {
    this.#stopping.abort();
  }

  async #pause(retries: number): Promise<void> {
    await sleep(retryPauseMs(retries, Math.random()), undefined, { signal: this.#stopping.signal }).catch(
      () => {},
    );
  }

  /** Logs the first loss as a warning, further losses at debug level. `#logRecovery` logs the sum of all losses. */
  #logLoss(spans: number, reason: string): void {
    if (this.#spansLost === 0) {
      this.#settings.log.warn({ reason }, "no collector takes the spans: dropping them until one does");
    } else {
      this.#settings.log.debug({ reason, spans }, "spans dropped");
    }
    this.#spansLost += spans;
  }

  #logRecovery(): void {
    if (this.#spansLost > 0) {
      this.#settings.log.info({ spansLost: this.#spansLost }, "a collector takes spans again");
      this.#spansLost = 0;
    }
  }
}

function mayPass({ status, details }: GrpcAnswer): boolean {
  return retryable.has(status) && !tooLarge.test(details);
}
