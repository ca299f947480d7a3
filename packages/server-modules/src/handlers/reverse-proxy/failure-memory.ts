import type { Upstream } from "./upstream.ts";

/**
 * Failures of upstreams that one proxy remembers (`fail_duration`). They are forgotten with the proxy's config: the
 * next config starts at zero, although upstreams are shared. Source: Caddy 2.11, `countFailure`
 */
export class FailureMemory {
  /** `fail_duration` in milliseconds. 0 disables counting. */
  readonly #rememberMs: number;
  /** One timer for each counted failure. When it fires, the shared count of the upstream decreases. */
  readonly #remembered = new Map<NodeJS.Timeout, Upstream>();
  /** True after the config was replaced. Requests that still run no longer count failures. */
  #isClosed = false;

  /** @param rememberMs 0 disables counting */
  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs;
  }

  /** Adds one failure to the upstream, in all threads; it is subtracted again after `fail_duration`. */
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
