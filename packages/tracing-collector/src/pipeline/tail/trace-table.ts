/** Value for no slot. */
export const absent = -1;

/**
 * 32-bit words of a slot: 64 bytes, one cache line, because a cache miss costs more than all work on the
 * slot.
 *
 * | Words | Meaning |
 * |---|---|
 * | 0 to 3 | trace id |
 * | 4 | next slot of the same bucket, or `absent` |
 * | 5 | bits of the policies that a span has matched |
 * | 6, 7 | numbers of service and operation |
 * | 8 | 1 once a root span was seen |
 * | 9 | verdict |
 * | 10 to 15 | first seen (ms), first start (ns), last end (ns), as doubles |
 */
const slotWords = 16;
const slotDoubles = slotWords / 2;
// Indexes of the words after the trace id.
const nextAt = 4;
const matchedAt = 5;
const serviceAt = 6;
const operationAt = 7;
const rootAt = 8;
const verdictAt = 9;
// Indexes of doubles, which are words 10 to 15.
const firstSeenAt = 5;
const startAt = 6;
const endAt = 7;

/**
 * Traces by id, in a ring of slots in one buffer. When all slots are in use, a new trace replaces the oldest.
 * `capacity` limits the memory, about 68 bytes for each trace; no object is created for a trace.
 */
export class TraceTable {
  readonly capacity: number;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #buckets: Int32Array;
  readonly #bucketMask: number;
  /** Slot of the newest trace; after the last slot, the ring continues at 0. */
  #newest = -1;
  #size = 0;
  /** Slot of the last `find`, because spans of one trace often are adjacent. */
  #lastFound = 0;
  /** Words of the id of the last `find`; `add` uses them. */
  #id0 = 0;
  #id1 = 0;
  #id2 = 0;
  #id3 = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    const memory = new ArrayBuffer(4 * slotWords * capacity);
    this.#words = new Int32Array(memory);
    this.#doubles = new Float64Array(memory);
    const buckets = 2 ** Math.ceil(Math.log2(capacity));
    this.#buckets = new Int32Array(buckets).fill(absent);
    this.#bucketMask = buckets - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** Slot of the newest trace; slots count up from 0 and start again at `capacity`. */
  get newest(): number {
    return this.#newest;
  }

  /** @param at position of the 16 bytes of the id. @returns slot of the trace, or `absent` */
  find(bytes: Uint8Array, at: number): number {
    this.#id0 = wordAt(bytes, at);
    this.#id1 = wordAt(bytes, at + 4);
    this.#id2 = wordAt(bytes, at + 8);
    this.#id3 = wordAt(bytes, at + 12);
    if (this.#size > 0 && this.#isAt(this.#lastFound)) {
      return this.#lastFound;
    }
    let slot = this.#buckets[this.#bucketOf(this.#id0, this.#id1, this.#id2, this.#id3)] as number;
    while (slot !== absent) {
      if (this.#isAt(slot)) {
        this.#lastFound = slot;
        return slot;
      }
      slot = this.#words[slot * slotWords + nextAt] as number;
    }
    return absent;
  }

  /**
   * Adds the trace that the last `find` did not find: without matched policies, root, verdict and times.
   * @returns its new slot
   */
  add(firstSeenMs: number): number {
    const slot = this.#newest + 1 === this.capacity ? 0 : this.#newest + 1;
    if (this.#size === this.capacity) {
      this.#remove(slot);
    }
    this.#newest = slot;
    this.#size++;
    const bucket = this.#bucketOf(this.#id0, this.#id1, this.#id2, this.#id3);
    const words = this.#words;
    const at = slot * slotWords;
    words[at] = this.#id0;
    words[at + 1] = this.#id1;
    words[at + 2] = this.#id2;
    words[at + 3] = this.#id3;
    words[at + nextAt] = this.#buckets[bucket] as number;
    words[at + matchedAt] = 0;
    words[at + serviceAt] = 0;
    words[at + operationAt] = 0;
    words[at + rootAt] = 0;
    words[at + verdictAt] = 0;
    const doubles = this.#doubles;
    doubles[slot * slotDoubles + firstSeenAt] = firstSeenMs;
    doubles[slot * slotDoubles + startAt] = Number.POSITIVE_INFINITY;
    doubles[slot * slotDoubles + endAt] = Number.NEGATIVE_INFINITY;
    this.#buckets[bucket] = slot;
    this.#lastFound = slot;
    return slot;
  }

  firstSeenMs(slot: number): number {
    return this.#doubles[slot * slotDoubles + firstSeenAt] as number;
  }

  /** Verdict of the trace; 0 before `setVerdict`. */
  verdict(slot: number): number {
    return this.#words[slot * slotWords + verdictAt] as number;
  }

  setVerdict(slot: number, verdict: number): void {
    this.#words[slot * slotWords + verdictAt] = verdict;
  }

  /** Bits of the policies that a span of the trace matched. */
  matched(slot: number): number {
    return this.#words[slot * slotWords + matchedAt] as number;
  }

  match(slot: number, bits: number): void {
    const at = slot * slotWords + matchedAt;
    this.#words[at] = (this.#words[at] as number) | bits;
  }

  service(slot: number): number {
    return this.#words[slot * slotWords + serviceAt] as number;
  }

  operation(slot: number): number {
    return this.#words[slot * slotWords + operationAt] as number;
  }

  setName(slot: number, service: number, operation: number): void {
    this.#words[slot * slotWords + serviceAt] = service;
    this.#words[slot * slotWords + operationAt] = operation;
  }

  /** @returns true when it is the first root span of the trace */
  seeRoot(slot: number): boolean {
    const at = slot * slotWords + rootAt;
    if (this.#words[at] !== 0) {
      return false;
    }
    this.#words[at] = 1;
    return true;
  }

  /** Extends the trace's time range by a span's start and end. */
  extend(slot: number, startNs: number, endNs: number): void {
    const doubles = this.#doubles;
    const at = slot * slotDoubles;
    if (startNs < (doubles[at + startAt] as number)) {
      doubles[at + startAt] = startNs;
    }
    if (endNs > (doubles[at + endAt] as number)) {
      doubles[at + endAt] = endNs;
    }
  }

  /** Duration from the first start to the last end. */
  durationNs(slot: number): number {
    const at = slot * slotDoubles;
    return (this.#doubles[at + endAt] as number) - (this.#doubles[at + startAt] as number);
  }

  /** Copies the 16 bytes of a trace's id to the start of `target`. */
  copyId(slot: number, target: Uint8Array): void {
    for (let index = 0; index < 4; index++) {
      const word = this.#words[slot * slotWords + index] as number;
      for (let byte = 0; byte < 4; byte++) {
        target[4 * index + byte] = (word >>> (8 * byte)) & 0xff;
      }
    }
  }

  /** True when the slot has the id of the last `find`. */
  #isAt(slot: number): boolean {
    const words = this.#words;
    const at = slot * slotWords;
    return (
      words[at + 3] === this.#id3 &&
      words[at + 2] === this.#id2 &&
      words[at + 1] === this.#id1 &&
      words[at] === this.#id0
    );
  }

  /** Removes a slot from the list of its bucket. */
  #remove(slot: number): void {
    const words = this.#words;
    const own = slot * slotWords;
    const bucket = this.#bucketOf(
      words[own] as number,
      words[own + 1] as number,
      words[own + 2] as number,
      words[own + 3] as number,
    );
    const next = words[own + nextAt] as number;
    let at = this.#buckets[bucket] as number;
    if (at === slot) {
      this.#buckets[bucket] = next;
    } else {
      while (words[at * slotWords + nextAt] !== slot) {
        at = words[at * slotWords + nextAt] as number;
      }
      words[at * slotWords + nextAt] = next;
    }
    this.#size--;
  }

  /** Ids may count up or have equal halves, so the hash must use every bit. */
  #bucketOf(id0: number, id1: number, id2: number, id3: number): number {
    let hash = Math.imul(id0 ^ Math.imul(id1, 0x85eb_ca6b), 0x9e37_79b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ id2, 0xc2b2_ae35);
    hash = Math.imul(hash ^ (hash >>> 13) ^ id3, 0x27d4_eb2f);
    return (hash ^ (hash >>> 16)) & this.#bucketMask;
  }
}

/** The number is signed, because V8 creates objects for unsigned 32-bit numbers that do not fit a small integer. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
