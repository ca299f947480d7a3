import type { Upstream } from "./upstream.ts";

/**
 * Failures that one proxy remembers of its upstreams (`fail_duration`). They end with the proxy's config: the next config
 * begins without them, though the upstreams are shared. Source: the public model (Caddy 2.11), `countFailure`
 */
export class FailureMemory {
  /** `fail_duration` in milliseconds. 0 counts nothing. */
  readonly #rememberMs: number;
  /** One timer for each failure that still counts. It decrements the shared count of the upstream. */
  readonly #remembered = new Map<NodeJS.Timeout, Upstream>();
  /** Set when the config goes. Requests that still run fail without being counted. */
  #isClosed = false;

  /** @param rememberMs 0: failures are not counted */
  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs;
  }

  /** Adds one to the failures of the upstream, in all threads, for `fail_duration`. */
  count(upstream: Upstream): void {
    if (this.#rememberMs <= 0 || this.#isClosed) {
      return;
    }
    upstream.addFails(1);
    const timer = setTimeout(() => {
      this.#remembered.delete(timer);
      upstream.addFails(-1);
    }, this.#rememberMs).unref();
    this.#remembered.set(timer, upstream);
  }

  /** Forgets all failures, and ignores failures of requests that still run. */
  close(): void {
    this.#isClosed = true;
    for (const [timer, upstream] of this.#remembered) {
      clearTimeout(timer);
      upstream.addFails(-1);
    }
    this.#remembered.clear();
  }
}
