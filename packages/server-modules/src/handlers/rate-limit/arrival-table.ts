import { createHash, randomBytes } from "node:crypto";

/** Slots of a group. A key may be in any slot of its group. */
const ways = 8;
/** Words of 8 bytes before the slots: the state, the secret (two words), and one unused. */
const headerWords = 4;
/** Words of a slot: the hash of the key, and the due time of its next event. */
const slotWords = 2;

/** States of the table: unused, a thread is creating the secret, ready. */
const unused = 0;
const making = 1;
const ready = 2;

/** The result of counting one more event. */
export interface Arrival {
  /** True when the request is within the quota. */
  readonly allowed: boolean;
  /** Number of events that would be allowed immediately. */
  readonly remaining: number;
  /** Microseconds until the next event is allowed; 0: it is allowed now. */
  readonly waitUs: number;
  /** Microseconds until the full burst is allowed again. */
  readonly fullUs: number;
}

/** The quota of events for each key in a time window. */
export interface Quota {
  /** Requests that one key may make in a window. */
  readonly maxEvents: number;
  /** Microseconds of the sliding window. */
  readonly windowUs: number;
}

/** Size in bytes of a table for at least `keys` keys. */
export function arrivalTableBytes(keys: number): number {
  const groups = Math.max(1, Math.ceil(keys / ways));
  return (headerWords + groups * ways * slotWords) * 8;
}

/**
 * Stores the due time of each key's next event, in memory shared by all threads. The algorithm is the generic cell rate
 * algorithm (GCRA), a sliding window that needs one number for each key. There are no locks: a slot is changed by
 * compare-and-exchange. When the table is full, the key closest to its full quota is overwritten, so memory stays
 * constant. Example with 10 events in 60 s: the interval is 6 s. Each event moves the key's due time 6 s forward. An
 * event is refused if the due time would be more than 60 s in the future. Source: ITU-T I.371, GCRA as virtual
 * scheduling
 */
export class ArrivalTable {
  readonly #words: BigInt64Array;
  /** Groups of eight slots. A key may be in any slot of its group. */
  readonly #groups: number;
  readonly #secret: Buffer;

  /** @param memory has {@link arrivalTableBytes} bytes, initially all zero */
  constructor(memory: SharedArrayBuffer) {
    this.#words = new BigInt64Array(memory);
    this.#groups = Math.floor((this.#words.length - headerWords) / (ways * slotWords));
    this.#secret = ArrivalTable.#secretOf(memory);
  }

  /**
   * Makes or reads a random secret that all threads share. It prevents outsiders from finding keys that share a slot.
   */
  static #secretOf(memory: SharedArrayBuffer): Buffer {
    const state = new Int32Array(memory, 0, 1);
    const secret = Buffer.from(memory, 8, 16);
    if (Atomics.compareExchange(state, 0, unused, making) === unused) {
      randomBytes(16).copy(secret);
      Atomics.store(state, 0, ready);
      Atomics.notify(state, 0);
    }
    while (Atomics.load(state, 0) === making) {
      Atomics.wait(state, 0, making, 10);
    }
    return secret;
  }

  /**
   * Counts one event of a key if its quota allows the event. If another thread changes the slot at the same time, the
   * count is repeated with the new due time.
   * @param nowUs microseconds of a clock that is equal in all threads
   */
  take(key: string, quota: Quota, nowUs: number): Arrival {
    const digest = createHash("sha1").update(this.#secret).update(key).digest();
    // 0 marks an empty slot.
    const mark = digest.readBigInt64LE(0) | 1n;
    const group = digest.readUInt32LE(8) % this.#groups;
    const intervalUs = quota.windowUs / quota.maxEvents;
    for (;;) {
      const slot = this.#slotOf(group, mark, nowUs);
      const dueAt = Atomics.load(this.#words, slot + 1);
      // A due time beyond the window comes from an older config with a longer window: the quota counts as used up.
      const due = Math.min(Math.max(Number(dueAt), nowUs), nowUs + quota.windowUs);
      const next = due + intervalUs;
      const waitUs = next - quota.windowUs - nowUs;
      // Half a microsecond of tolerance: rounding must not refuse an event.
      if (waitUs > 0.5) {
        return { allowed: false, remaining: 0, waitUs, fullUs: due - nowUs };
      }
      const swapped = Atomics.compareExchange(this.#words, slot + 1, dueAt, BigInt(Math.round(next)));
      if (swapped === dueAt) {
        const remaining = Math.floor((quota.windowUs - (next - nowUs)) / intervalUs + 1e-6);
        return { allowed: true, remaining, waitUs: 0, fullUs: next - nowUs };
      }
    }
  }

  /**
   * Finds the slot of a key. A new key takes an empty slot; if no slot is empty, it overwrites the key closest to its
   * full quota.
   */
  #slotOf(group: number, mark: bigint, nowUs: number): number {
    const first = headerWords + group * ways * slotWords;
    for (;;) {
      let victim = first;
      let victimDue = Number.POSITIVE_INFINITY;
      for (let way = 0; way < ways; way++) {
        const slot = first + way * slotWords;
        const found = Atomics.load(this.#words, slot);
        if (found === mark) {
          return slot;
        }
        const due = found === 0n ? Number.NEGATIVE_INFINITY : Number(Atomics.load(this.#words, slot + 1));
        if (due < victimDue) {
          victim = slot;
          victimDue = due;
        }
      }
      const before = Atomics.load(this.#words, victim);
      if (Atomics.compareExchange(this.#words, victim, before, mark) === before) {
        Atomics.store(this.#words, victim + 1, BigInt(Math.floor(nowUs)));
        return victim;
      }
    }
  }
}
