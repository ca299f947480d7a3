import { setTimeout as sleep } from "node:timers/promises";
import { type ServiceError, status } from "@grpc/grpc-js";
import type { Logger } from "lifecycle";
import type { Batch } from "wire/api-v2";
import type { AgentMetrics } from "../agent-metrics.ts";
import { CollectorConnection } from "./collector-connection.ts";
import { retryPauseMs } from "./retry-pause.ts";

/** Errors that another try, or another collector, may not have. */
const retryable: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.RESOURCE_EXHAUSTED,
  status.CANCELLED, // The collector broke the call off, as one does that shuts down; we never cancel.
]);

/** What gRPC's servers say, also with RESOURCE_EXHAUSTED, of a message over their limit: it stays too large. */
const tooLarge = /message larger than max|decompresses to a size larger/i;

export interface GrpcReporterSettings {
  /** At least one `host:port`, or any name that gRPC resolves. */
  readonly addresses: readonly string[];
  readonly maxRetries: number;
  readonly metrics: AgentMetrics;
  readonly log: Logger;
}

/**
 * Sends batches to the collectors, each in turn, those without a connection only when no other has one. A call that
 * fails for a passing reason is tried again at the next collector after a pause, then given up and counted.
 */
export class GrpcReporter {
  readonly connections: readonly CollectorConnection[];
  readonly #settings: GrpcReporterSettings;
  readonly #stopping = new AbortController();
  #turn = 0;
  #spansLost = 0;

  constructor(settings: GrpcReporterSettings) {
    this.#settings = settings;
    this.connections = settings.addresses.map((address) => new CollectorConnection(address, settings.log));
  }

  /** Resolves when the batch was delivered or given up; never rejects. */
  async report(batch: Batch): Promise<void> {
    const { maxRetries, metrics } = this.#settings;
    for (let retries = 0; ; retries++) {
      const error = await this.#nextConnection().postSpans({ batch });
      if (error === undefined) {
        metrics.batchSubmitted(batch.spans.length);
        this.#logRecovery();
        return;
      }
      const reason = status[error.code];
      if (!mayPass(error) || retries >= maxRetries || this.#stopping.signal.aborted) {
        metrics.batchFailed(batch.spans.length, reason);
        this.#logLoss(batch.spans.length, `${reason}: ${error.details}`);
        return;
      }
      metrics.retried(reason);
      await this.#pause(retries);
    }
  }

  /** From now on a call that fails is not tried again. */
  stopRetrying(): void {
    this.#stopping.abort();
  }

  close(): void {
    for (const connection of this.connections) {
      connection.close();
    }
  }

  #nextConnection(): CollectorConnection {
    const { connections } = this;
    const turn = this.#turn++;
    const inTurn = connections.map((_, index) => connections[(turn + index) % connections.length]);
    const next = inTurn.find((connection) => connection?.isConnected) ?? inTurn[0];
    if (next === undefined) {
      throw new Error("a reporter needs a collector");
    }
    return next;
  }

  async #pause(retries: number): Promise<void> {
    await sleep(retryPauseMs(retries, Math.random()), undefined, { signal: this.#stopping.signal }).catch(
      () => {},
    );
  }

  /** One line for the first loss; `#logRecovery` sums up; the others are for who debugs. */
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

function mayPass({ code, details }: ServiceError): boolean {
  return retryable.has(code) && !tooLarge.test(details);
}
