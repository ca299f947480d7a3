import { EventEmitter, once } from "node:events";
import { type GrpcAnswer, grpcError } from "http-protocols/grpc-client";
import type { ClientTlsMaterial, Logger } from "lifecycle";
import type { CollectorAddress } from "./collector-address.ts";
import type { CollectorEndpoint } from "./collector-endpoint.ts";
import { CollectorName, type CollectorNameSettings } from "./collector-name.ts";

/** Longest pause in milliseconds that a collector may request. After this pause, the collector is called again. */
const maxAskedPauseMs = 60_000;
/** Time in milliseconds that a call waits for the first connection. */
const firstConnectionMs = 10_000;

export interface CollectorPoolSettings {
  /** Configured collectors; never empty. */
  readonly collectors: readonly CollectorAddress[];
  readonly tls: () => ClientTlsMaterial | undefined;
  readonly log: Logger;
  readonly lookUp?: CollectorNameSettings["lookUp"];
}

/**
 * All configured collectors, with all addresses of their names. Calls rotate over collectors that are connected and
 * have requested no pause.
 */
export class CollectorPool {
  readonly names: readonly CollectorName[];
  readonly #changes = new EventEmitter().setMaxListeners(0);
  readonly #closing = new AbortController();
  #turn = 0;

  constructor({ collectors, tls, log, lookUp }: CollectorPoolSettings) {
    this.names = collectors.map(
      (configured) =>
        new CollectorName({ configured, tls, log, lookUp, onChange: () => this.#changes.emit("change") }),
    );
  }

  /**
   * Calls a method of the next collector. If no collector is connected, the call waits for a collector that is still
   * connecting. If this wait fails, or if all collectors are unreachable, the result is UNAVAILABLE. If a collector has
   * certainly not started a call, the call is sent once to another collector.
   * @param path "/package.Service/Method"
   * @param message with gRPC's prefix
   */
  async call(path: string, message: Buffer): Promise<GrpcAnswer> {
    const answer = await this.#callNext(path, message);
    return answer.isUntouched ? this.#callNext(path, message) : answer;
  }

  /**
   * Resolves when a connected collector has no pause, when no collector is connected, or after a minute. @param signal
   * ends the wait
   */
  async unpaused(signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = performance.now();
      const ready = this.#ready();
      const waitMs = Math.min(...ready.map(({ pausedUntil }) => pausedUntil)) - now;
      if (ready.length === 0 || waitMs <= 0 || signal.aborted) {
        return;
      }
      await this.#changed(waitMs, signal);
    }
  }

  /** Closes all connections. Running calls then fail. */
  close(): void {
    this.#closing.abort();
    for (const name of this.names) {
      name.destroy();
    }
  }

  async #callNext(path: string, message: Buffer): Promise<GrpcAnswer> {
    const endpoint = this.#next() ?? (await this.#firstReady());
    if (endpoint === undefined) {
      const reason = this.names.map(({ lastError }) => lastError).find((error) => error !== "");
      return grpcError("UNAVAILABLE", `no collector is connected: ${reason ?? "not yet"}`);
    }
    const answer = await endpoint.call(path, message);
    if (answer.retryDelayMs !== undefined) {
      const pauseMs = Math.min(answer.retryDelayMs, maxAskedPauseMs);
      endpoint.pausedUntil = Math.max(endpoint.pausedUntil, performance.now() + pauseMs);
    }
    return answer;
  }

  #ready(): CollectorEndpoint[] {
    return this.names.flatMap(({ endpoints }) => endpoints).filter(({ state }) => state === "ready");
  }

  #next(): CollectorEndpoint | undefined {
    const ready = this.#ready();
    const now = performance.now();
    const willing = ready.filter(({ pausedUntil }) => pausedUntil <= now);
    const choice = willing.length > 0 ? willing : ready;
    return choice[this.#turn++ % choice.length];
  }

  async #firstReady(): Promise<CollectorEndpoint | undefined> {
    const until = performance.now() + firstConnectionMs;
    while (this.names.some(({ isStarting }) => isStarting) && !this.#closing.signal.aborted) {
      const waitMs = until - performance.now();
      if (waitMs <= 0) {
        return undefined;
      }
      await this.#changed(waitMs, this.#closing.signal);
      const next = this.#next();
      if (next !== undefined) {
        return next;
      }
    }
    return undefined;
  }

  /** Resolves when connections were added or removed, or after `ms` milliseconds. */
  async #changed(ms: number, signal: AbortSignal): Promise<void> {
    const waiting = new AbortController();
    const stop = () => waiting.abort();
    const timer = setTimeout(stop, ms);
    signal.addEventListener("abort", stop);
    await once(this.#changes, "change", { signal: waiting.signal }).catch(() => {});
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
