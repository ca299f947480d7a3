/** Maximum number of cached names, because names with placeholders may produce any number. */
const maxKept = 1_000;

/** The last answer for a name. */
interface Kept {
  readonly addresses: readonly string[];
  /**
   * Time of the lookup, on the clock of `performance.now()`. A failed lookup moves it, so that the answer expires with
   * the grace period.
   */
  readonly at: number;
}

/**
 * Caches look-ups for a time; for each name, only one look-up runs at a time.
 * | Cached answer | Request | Result |
 * |---|---|---|
 * | younger than `refresh` | `again` is false | the cached addresses, without waiting |
 * | older | | a look-up; other requests for the name wait for the same look-up |
 * | look-up failed, old answer, grace period configured | | the old addresses, until the grace period ends |
 * | look-up failed in other cases | | the error |
 */
export class LookupCache {
  /** Milliseconds for which an answer is used. */
  readonly #refreshMs: number;
  /** Milliseconds for which an old answer is used after a failed lookup. */
  readonly #graceMs: number;
  /** Answers by name, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  /** Running look-ups by name. */
  readonly #running = new Map<string, Promise<readonly string[]>>();

  /** @param graceMs milliseconds for which old answers are used after a failed look-up; 0: old answers are not used */
  constructor(refreshMs: number, graceMs: number) {
    this.#refreshMs = refreshMs;
    this.#graceMs = graceMs;
  }

  /**
   * @param again true when a request to a cached address failed, so that the cached answer is not used
   * @throws the error of `look` when no old answer may be used
   */
  get(
    name: string,
    again: boolean,
    look: () => Promise<readonly string[]>,
  ): readonly string[] | Promise<readonly string[]> {
    const kept = this.#kept.get(name);
    if (kept !== undefined && !again && performance.now() - kept.at < this.#refreshMs) {
      return kept.addresses;
    }
    let running = this.#running.get(name);
    if (running === undefined) {
      running = this.#refresh(name, look).finally(() => this.#running.delete(name));
      this.#running.set(name, running);
    }
    return running;
  }

  /** Runs a lookup, and stores the answer as the newest. Above the limit, the oldest answers are removed. */
  async #refresh(name: string, look: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const before = this.#kept.get(name);
    try {
      const addresses = await look();
      this.#kept.delete(name);
      for (const [oldest] of this.#kept) {
        if (this.#kept.size < maxKept) {
          break;
        }
        this.#kept.delete(oldest);
      }
      this.#kept.set(name, { addresses, at: performance.now() });
      return addresses;
    } catch (error) {
      if (before !== undefined && this.#graceMs > 0) {
        // The old answer is stored as if it were new, for the grace period.
        this.#kept.set(name, {
          addresses: before.addresses,
          at: performance.now() - this.#refreshMs + this.#graceMs,
        });
        return before.addresses;
      }
      throw error;
    }
  }
}
