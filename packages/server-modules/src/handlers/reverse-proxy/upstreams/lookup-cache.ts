/** Answers of name servers that are kept: names with placeholders may be any number. */
const maxKept = 1_000;

/** The last answer for a name. */
interface Kept {
  /** Addresses of the last answer. */
  readonly addresses: readonly string[];
  /** When they were looked up. */
  readonly at: number;
}

/**
 * Caches look-ups until they expire; each name has one look-up at a time.
 * | Known | Asked | Result |
 * |---|---|---|
 * | younger than `refresh` | in doubt: no | the known addresses, immediately |
 * | older, or in doubt | | a look-up; others of the name wait for the same one |
 * | look-up failed, old answer, grace period | | the old addresses, until the grace period is over |
 * | look-up failed otherwise | | the error |
 */
export class LookupCache {
  /** Milliseconds for which an answer counts. */
  readonly #refreshMs: number;
  /** Milliseconds for which an old answer serves after a failed look-up. */
  readonly #graceMs: number;
  /** Answers by name, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  /** Running look-ups by name. */
  readonly #running = new Map<string, Promise<readonly string[]>>();

  /** @param graceMs how long old answers serve after a look-up failed; 0 not at all */
  constructor(refreshMs: number, graceMs: number) {
    this.#refreshMs = refreshMs;
    this.#graceMs = graceMs;
  }

  /**
   * @param again true when the cached result is in doubt
   * @throws what `look` throws, where nothing is known that may serve
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

  /** Looks up, and stores the answer as the newest. The oldest answers go when there are too many. */
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
        // Serves for the grace period, as if it were found now.
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
