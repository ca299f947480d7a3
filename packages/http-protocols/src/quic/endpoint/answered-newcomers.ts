/**
 * How long a first packet is remembered at least, in milliseconds; at most twice as long. Packets that a client repeated meanwhile
 * wait in a full socket. Clients that heard nothing repeat theirs for 5 seconds.
 */
const generationMs = 1_000;
/** First packets that are remembered; further ones are answered again. */
const maxIds = 4_096;

const keyOf = (id: Buffer) => id.toString("latin1");

/**
 * First packets that got a Retry or a refusal a moment ago. A ClientHello takes two datagrams, and one answer is enough; a client
 * whose answer was lost repeats them later, and gets another.
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
