/** Waiting time before the rate counts, when no idle timeout sets it. */
const defaultHeadStartMs = 60_000;

/**
 * Watches that bytes arrive, or leave, at a minimum rate while a party waits for them; other time does not
 * count. Source: the public model (Caddy 2.11), `read_min_rate`; Apache's mod_reqtimeout, `MinRate`
 */
export class RateWatch {
  readonly #firstBytes: number;
  #lookedAt: number;
  #waitedMs = 0;

  /** @param bytes so far, of a count that only grows. Times as of `Date.now()` */
  constructor(now: number, bytes: number) {
    this.#lookedAt = now;
    this.#firstBytes = bytes;
  }

  /**
   * @param waiting whether a party waits for bytes now
   * @param minRate bytes a second; 0: no limit
   * @param idleTimeoutMs time that may pass without any byte; 0: no limit
   */
  isTooSlow(now: number, bytes: number, waiting: boolean, minRate: number, idleTimeoutMs: number): boolean {
    if (waiting) {
      this.#waitedMs += now - this.#lookedAt;
    }
    this.#lookedAt = now;
    const headStartMs = idleTimeoutMs > 0 ? idleTimeoutMs : defaultHeadStartMs;
    const earnedMs = ((bytes - this.#firstBytes) / minRate) * 1_000;
    return minRate > 0 && this.#waitedMs > headStartMs + earnedMs;
  }
}
