/** Default time in milliseconds before the rate is checked, used when there is no idle timeout. */
const defaultHeadStartMs = 60_000;

/** Rate that a connection must reach, and the wait before the rate is checked. */
export interface RateLimits {
  /** Minimum rate in bytes per second; 0: no limit. */
  readonly minRate: number;
  /** Milliseconds of waiting before the rate is checked; 0: a minute. */
  readonly idleTimeoutMs: number;
}

/**
 * Checks that bytes arrive or leave at a minimum rate. Time in which no bytes are awaited does not count. Source: Caddy
 * 2.11, `read_min_rate`; Apache's mod_reqtimeout, `MinRate`
 */
export class RateWatch {
  readonly #firstBytes: number;
  #lookedAt: number;
  #waitedMs = 0;

  /** @param bytes counter value, which only grows. Times in milliseconds since 1970 */
  constructor(now: number, bytes: number) {
    this.#lookedAt = now;
    this.#firstBytes = bytes;
  }

  /** @param waiting true when bytes are awaited now */
  isTooSlow(now: number, bytes: number, waiting: boolean, { minRate, idleTimeoutMs }: RateLimits): boolean {
    if (waiting) {
      this.#waitedMs += now - this.#lookedAt;
    }
    this.#lookedAt = now;
    const headStartMs = idleTimeoutMs > 0 ? idleTimeoutMs : defaultHeadStartMs;
    const earnedMs = ((bytes - this.#firstBytes) / minRate) * 1_000;
    return minRate > 0 && this.#waitedMs > headStartMs + earnedMs;
  }
}
