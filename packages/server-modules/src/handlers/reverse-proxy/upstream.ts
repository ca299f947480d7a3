import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import type { SharedGauge, SharedState } from "server-core/threads/shared-state";

/** Prefix of the shared counters of running requests; the address follows. */
export const upstreamPrefix = "http.reverse_proxy.upstream/";

/** Names of the failures that are remembered, over all threads; the address follows. */
export const upstreamFailsPrefix = "http.reverse_proxy.fails/";

/** Message topic: a thread returns the details of its upstreams. */
export const upstreamDetailTopic = "http.reverse_proxy.upstream-details";

/** Facts of one thread about an upstream, beside the counts. */
export interface UpstreamDetail {
  /** Address to dial. */
  readonly address: string;
  /** Time until the head of the latest response, in milliseconds; null before the first. */
  readonly latencyMs: number | null;
  /** When it was, as of `Date.now()`; 0 for never. */
  readonly latencyAt: number;
  /** Why the latest try failed; null for none yet. */
  readonly lastError: string | null;
  /** Milliseconds since 1970; 0 without an error. */
  readonly lastErrorAt: number;
}

/**
 * A server behind the proxy. One per address for all proxies and configs, so that its counts are the whole
 * truth.
 * | Member | Changed by | Scope |
 * |---|---|---|
 * | requests | each try, from its begin to its end | all threads |
 * | fails | `FailureMemory`, for `fail_duration` | all threads |
 * | latency, last error | each try that got a head, or failed | this thread |
 */
export class Upstream implements SharedResource {
  /** Dial address from the config. */
  readonly address: string;
  readonly #log: Logger;
  /** Running requests. The gauge's share of this thread is removed when the thread releases it. */
  readonly #requests: SharedGauge;
  /** Failures that count now. */
  readonly #fails: SharedGauge;
  /** Whether the latest try got a head. Only a change is logged, so a dead upstream does not fill the log. */
  #answers = true;
  #latencyMs: number | null = null;
  /** When the latest head came, in milliseconds since 1970. */
  #latencyAt = 0;
  #lastError: string | null = null;
  #lastErrorAt = 0;

  /** @throws ServerError SHARED_FULL */
  constructor(address: string, log: Logger, shared: SharedState) {
    this.address = address;
    this.#log = log;
    this.#requests = shared.gauge(`${upstreamPrefix}${address}`);
    this.#fails = shared.gauge(`${upstreamFailsPrefix}${address}`);
  }

  /** Running requests in all threads, tunnels included. */
  get requests(): number {
    return this.#requests.value;
  }

  /** Failures that passive health checks still remember, in all threads. */
  get fails(): number {
    return this.#fails.value;
  }

  /** The state for `GET /reverse_proxy/upstreams`. */
  get detail(): UpstreamDetail {
    return {
      address: this.address,
      latencyMs: this.#latencyMs,
      latencyAt: this.#latencyAt,
      lastError: this.#lastError,
      lastErrorAt: this.#lastErrorAt,
    };
  }

  /** A try begins. Every call needs one `end`. */
  begin(): void {
    this.#requests.add(1);
  }

  /** Ends one use: the try, its tunnel, or the routes for its response are done. */
  end(): void {
    this.#requests.add(-1);
  }

  /** A try with it failed. */
  failed(error: Error): void {
    const text = messageOf(error.cause ?? error);
    this.#lastError = text;
    this.#lastErrorAt = Date.now();
    if (this.#answers) {
      this.#answers = false;
      this.#log.warn(`upstream ${this.address} does not answer: ${text}`);
    }
  }

  /** Changes the number of remembered failures. The proxy that adds one takes it away (see `FailureMemory`). */
  addFails(count: number): void {
    this.#fails.add(count);
  }

  /** @param latencyMs time until the head of the response */
  answered(latencyMs: number): void {
    this.#latencyMs = latencyMs;
    this.#latencyAt = Date.now();
    if (!this.#answers) {
      this.#answers = true;
      this.#log.info(`upstream ${this.address} answers again`);
    }
  }

  /** No config has the address any more: this thread's shares of the counts go. */
  close(): void {
    this.#requests.release();
    this.#fails.release();
  }
}

/** The global pool that `GET /reverse_proxy/upstreams` shows. */
export const upstreamPool: ResourceKind<Upstream> = { name: "http.reverse_proxy.upstream" };
