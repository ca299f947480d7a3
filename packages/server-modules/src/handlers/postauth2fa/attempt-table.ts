import { createHash } from "node:crypto";

/** Maximum number of users whose attempts are remembered. */
const slots = 4_096;
/** Int32 members of a slot: the user's hash, wrong codes, begin of their time in seconds, and the last used period. */
const members = 4;
/** Slots in which a user may be. */
const probes = 16;
/**
 * Maximum number of wrong codes within {@link windowS}; then the user has to wait. Three codes of six digits are valid
 * at a time, so guessing one takes some 230 days on average.
 */
export const maxWrongCodes = 5;
const windowS = 300;
export const attemptTableBytes = slots * members * 4;

/** The decision about an attempt. `waitS`: seconds until the user may try again. */
export type Attempt = "may try" | { readonly waitS: number };

/**
 * Wrong and used codes of users, in memory that all threads share. It allows five wrong codes in five minutes, and no
 * code twice (RFC 6238, section 5.2). When more users than slots try at the same time, the oldest is forgotten.
 */
export class AttemptTable {
  readonly #words: Int32Array;
  readonly #now: () => number;

  /** @param memory memory of {@link attemptTableBytes}, zero at first */
  constructor(memory: SharedArrayBuffer, now: () => number = Date.now) {
    this.#words = new Int32Array(memory);
    this.#now = now;
  }

  /** Counts an attempt before its code is compared, so that concurrent attempts cannot exceed the limit. */
  begin(user: string): Attempt {
    const slot = this.#slotOf(user);
    const now = this.#seconds();
    const since = Atomics.load(this.#words, slot + 2);
    if (now - since >= windowS && Atomics.compareExchange(this.#words, slot + 2, since, now) === since) {
      Atomics.store(this.#words, slot + 1, 0);
    }
    if (Atomics.add(this.#words, slot + 1, 1) < maxWrongCodes) {
      return "may try";
    }
    Atomics.sub(this.#words, slot + 1, 1);
    return { waitS: Math.max(1, Atomics.load(this.#words, slot + 2) + windowS - now) };
  }

  /** Takes a right code. @returns false for a code that was used before */
  use(user: string, period: number): boolean {
    const slot = this.#slotOf(user);
    for (let last = Atomics.load(this.#words, slot + 3); period > last; ) {
      const seen = Atomics.compareExchange(this.#words, slot + 3, last, period);
      if (seen === last) {
        Atomics.store(this.#words, slot + 1, 0);
        return true;
      }
      last = seen;
    }
    return false;
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }

  /** Index of the slot for a user: the user's own slot, a free slot, or the slot whose time began first. */
  #slotOf(user: string): number {
    const digest = createHash("sha256").update(user).digest();
    const hash = digest.readInt32LE(0) || 1;
    const first = digest.readUInt32LE(4);
    let oldest = 0;
    let oldestBegin = Number.POSITIVE_INFINITY;
    for (let probe = 0; probe < probes; probe++) {
      const slot = ((first + probe) % slots) * members;
      const found = Atomics.load(this.#words, slot) || Atomics.compareExchange(this.#words, slot, 0, hash);
      if (found === hash || found === 0) {
        return slot;
      }
      const begin = Atomics.load(this.#words, slot + 2);
      if (begin < oldestBegin) {
        [oldest, oldestBegin] = [slot, begin];
      }
    }
    for (const member of [1, 2, 3]) {
      Atomics.store(this.#words, oldest + member, 0);
    }
    Atomics.store(this.#words, oldest, hash);
    return oldest;
  }
}
