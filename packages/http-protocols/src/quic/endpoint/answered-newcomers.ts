/**
 * A first packet is remembered for at least this time in milliseconds, and at most twice as long. Packets that a client
 * repeats meanwhile wait in a full socket. Clients without a response repeat theirs for 5 seconds.
 */
const generationMs = 1_000;
/** Maximum number of first packets that are remembered in {@link generationMs}; further ones get another response. */
const maxIds = 4_096;

const keyOf = (id: Buffer) => id.toString("latin1");

/**
 * First packets that recently got a Retry or a refusal. A ClientHello takes two datagrams, and one response is enough.
 * A client whose response was lost repeats them later, and gets another response.
 */
export class AnsweredNewcomers {
  #older = new Set<string>();
  #newer = new Set<string>();
  #since = 0;

  has(id: Buffer, now: number): boolean {
    this.#age(now);
    const key = keyOf(id);
    return this.#older.has(key) || this.#newer.has(key);
  }

  add(id: Buffer, now: number): void {
    this.#age(now);
    if (this.#newer.size < maxIds) {
      this.#newer.add(keyOf(id));
    }
  }

  #age(now: number): void {
    const age = now - this.#since;
    if (age >= generationMs) {
      this.#older = age < 2 * generationMs ? this.#newer : new Set();
      this.#newer = new Set();
      this.#since = now;
    }
  }
}
