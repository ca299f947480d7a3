import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import type { SharedGauge, SharedState } from "server-core/threads/shared-state";

/** Prefix of the shared counters of running requests; the address follows. */
export const upstreamPrefix = "http.reverse_proxy.upstream/";

/** Prefix of the shared counters of remembered failures; the address follows. */
export const upstreamFailsPrefix = "http.reverse_proxy.fails/";

/** Message topic with which a thread is asked for the details of its upstreams. */
export const upstreamDetailTopic = "http.reverse_proxy.upstream-details";

/** One thread's facts about an upstream, in addition to the counters. */
export interface UpstreamDetail {
  /** Address to dial. */
  readonly address: string;
  /** Milliseconds that the latest response head took; null before the first head. */
  readonly latencyMs: number | null;
  /** Time of that head, on the clock of `Date.now()`; 0 for never. */
  readonly latencyAt: number;
  /** Reason why the latest failed attempt failed; null when no attempt failed. */
  readonly lastError: string | null;
  /** Time of that failure, in milliseconds since 1970; 0 when no attempt failed. */
  readonly lastErrorAt: number;
}

/**
 * A server behind the proxy. Each address has one object for all proxies and configs, so its counters are complete.
 * | Member | Changed by | Scope |
 * |---|---|---|
 * | requests | each attempt, from its start to its end | all threads |
 * | fails | `FailureMemory`, for `fail_duration` | all threads |
 * | latency, last error | each attempt whose response head arrived, or that failed | this thread |
 */
export class Upstream implements SharedResource {
  /** Dial address from the config. */
  readonly address: string;
  readonly #log: Logger;
  /** Gauge of running requests. This thread's share is removed when the thread releases the gauge. */
  readonly #requests: SharedGauge;
  /** Gauge of remembered failures. */
  readonly #fails: SharedGauge;
  /**
   * True when the latest attempt got a head. Only a change is logged, so that a dead upstream does not fill the log.
   */
  #answers = true;
  #latencyMs: number | null = null;
  /** Time of the latest head, in milliseconds since 1970. */
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

  /** Running requests over all threads, including tunnels. */
  get requests(): number {
    return this.#requests.value;
  }

  /** Failures that passive health checks still remember, in all threads. */
  get fails(): number {
    return this.#fails.value;
  }

  /** State of the upstream for `GET /reverse_proxy/upstreams`. */
  get detail(): UpstreamDetail {
    return {
      address: this.address,
      latencyMs: this.#latencyMs,
      latencyAt: this.#latencyAt,
      lastError: this.#lastError,
      lastErrorAt: this.#lastErrorAt,
    };
  }

  /** Begins an attempt. Each call of `begin` needs one call of `end`. */
  begin(): void {
    this.#requests.add(1);
  }

  /** Called when an attempt ends, or when its tunnel or the routes for its response end. */
  end(): void {
    this.#requests.add(-1);
  }

  /** Records a failed attempt. */
  failed(error: Error): void {
    const text = messageOf(error.cause ?? error);
    this.#lastError = text;
    this.#lastErrorAt = Date.now();
    if (this.#answers) {
      this.#answers = false;
      this.#log.warn(`upstream ${this.address} does not answer: ${text}`);
    }
  }

  /** Changes the number of remembered failures. The proxy that adds a failure also removes it (see `FailureMemory`). */
  addFails(count: number): void {
    this.#fails.add(count);
  }

  /** @param latencyMs milliseconds until the response head */
  answered(latencyMs: number): void {
    this.#latencyMs = latencyMs;
    this.#latencyAt = Date.now();
    if (!this.#answers) {
      this.#answers = true;
      this.#log.info(`upstream ${this.address} answers again`);
    }
  }

  /** Called when no config uses the address any more: removes this thread's share of the counters. */
  close(): void {
    this.#requests.release();
    this.#fails.release();
  }
}

/** The global pool that `GET /reverse_proxy/upstreams` shows. */
export const upstreamPool: ResourceKind<Upstream> = { name: "http.reverse_proxy.upstream" };
