/** No slot. */
export const absent = -1;

/**
 * Traces by id, in a ring of slots of typed arrays: a new one takes the place of the oldest when all are in use. Memory
 * is bounded by `capacity`, about 57 bytes each, and no object is made for a trace.
 */
export class TraceTable {
  readonly capacity: number;
  /** Columns; the index is the slot. */
  readonly firstSeenMs: Float64Array;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly matched: Uint32Array;
  readonly service: Int32Array;
  readonly operation: Int32Array;
  readonly hasRoot: Uint8Array;
  readonly verdict: Uint8Array;
  /** Four words for each slot. */
  readonly #ids: Int32Array;
  readonly #next: Int32Array;
  readonly #buckets: Int32Array;
  readonly #bucketMask: number;
  #newest = -1;
  /** Spans of one trace often follow one another. */
  #lastFound = 0;
  #size = 0;
  #id0 = 0;
  #id1 = 0;
  #id2 = 0;
  #id3 = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.firstSeenMs = new Float64Array(capacity);
    this.startNs = new Float64Array(capacity);
    this.endNs = new Float64Array(capacity);
    this.matched = new Uint32Array(capacity);
    this.service = new Int32Array(capacity);
    this.operation = new Int32Array(capacity);
    this.hasRoot = new Uint8Array(capacity);
    this.verdict = new Uint8Array(capacity);
    this.#ids = new Int32Array(4 * capacity);
    this.#next = new Int32Array(capacity);
    const buckets = 2 ** Math.ceil(Math.log2(capacity));
    this.#buckets = new Int32Array(buckets).fill(absent);
    this.#bucketMask = buckets - 1;
  }

  /** Traces in the table. */
  get size(): number {
    return this.#size;
  }

  /** Slot of the newest trace; slots count up from 0 and start again at `capacity`. */
  get newest(): number {
    return this.#newest;
  }

  /** @param at index of the 16 bytes of the id. @returns its slot, or `absent` */
  find(bytes: Uint8Array, at: number): number {
    const id0 = wordAt(bytes, at);
    const id1 = wordAt(bytes, at + 4);
    const id2 = wordAt(bytes, at + 8);
    const id3 = wordAt(bytes, at + 12);
    this.#id0 = id0;
    this.#id1 = id1;
    this.#id2 = id2;
    this.#id3 = id3;
    if (this.#size > 0 && this.#isAt(this.#lastFound)) return this.#lastFound;
    let slot = this.#buckets[this.#bucketOf(id0, id1, id2, id3)] as number;
    while (slot !== absent) {
      if (this.#isAt(slot)) {
        this.#lastFound = slot;
        return slot;
      }
      slot = this.#next[slot] as number;
    }
    return absent;
  }

  /** Whether the slot has the id of the last `find`. */
  #isAt(slot: number): boolean {
    const ids = this.#ids;
    const at = 4 * slot;
    return (
      ids[at + 3] === this.#id3 &&
      ids[at + 2] === this.#id2 &&
      ids[at + 1] === this.#id1 &&
      ids[at] === this.#id0
    );
  }

  /** Adds the trace that the last `find` did not find, with all columns zero. @returns its slot */
  add(): number {
    const slot = this.#newest + 1 === this.capacity ? 0 : this.#newest + 1;
    if (this.#size === this.capacity) this.#remove(slot);
    this.#newest = slot;
    this.#size++;
    const ids = this.#ids;
    const at = 4 * slot;
    ids[at] = this.#id0;
    ids[at + 1] = this.#id1;
    ids[at + 2] = this.#id2;
    ids[at + 3] = this.#id3;
    const bucket = this.#bucketOf(this.#id0, this.#id1, this.#id2, this.#id3);
    this.#next[slot] = this.#buckets[bucket] as number;
    this.#buckets[bucket] = slot;
    this.matched[slot] = 0;
    this.service[slot] = 0;
    this.operation[slot] = 0;
    this.hasRoot[slot] = 0;
    this.verdict[slot] = 0;
    this.firstSeenMs[slot] = 0;
    this.startNs[slot] = 0;
    this.endNs[slot] = 0;
    return slot;
  }

  /** Copies the 16 bytes of a trace's id to the start of `target`. */
  copyId(slot: number, target: Uint8Array): void {
    for (let index = 0; index < 4; index++) {
      const word = this.#ids[4 * slot + index] as number;
      for (let byte = 0; byte < 4; byte++) target[4 * index + byte] = (word >>> (8 * byte)) & 0xff;
    }
  }

  #remove(slot: number): void {
    const word = (index: number) => this.#ids[4 * slot + index] as number;
    const bucket = this.#bucketOf(word(0), word(1), word(2), word(3));
    let at = this.#buckets[bucket] as number;
    if (at === slot) {
      this.#buckets[bucket] = this.#next[slot] as number;
    } else {
      while (this.#next[at] !== slot) at = this.#next[at] as number;
      this.#next[at] = this.#next[slot] as number;
    }
    this.#size--;
  }

  /** Ids may count up or have equal halves: every bit counts. */
  #bucketOf(id0: number, id1: number, id2: number, id3: number): number {
    let hash = Math.imul(id0 ^ Math.imul(id1, 0x85eb_ca6b), 0x9e37_79b1);
    hash = Math.imul(hash ^ (hash >>> 15) ^ id2, 0xc2b2_ae35);
    hash = Math.imul(hash ^ (hash >>> 13) ^ id3, 0x27d4_eb2f);
    return (hash ^ (hash >>> 16)) & this.#bucketMask;
  }
}

/** Signed: numbers of 32 bits that do not fit a small integer would be objects. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
