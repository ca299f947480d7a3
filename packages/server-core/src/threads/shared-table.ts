import { createHash } from "node:crypto";
import { ServerError } from "../errors.ts";

/** Bytes of the table. Unused pages need no memory. */
const tableBytes = 4 * 1024 * 1024;
/** Maximum number of slots that are searched for a name, starting with the slot of its hash. */
const maxProbes = 128;
const headerBytes = 64;
/** Size limit of a stored name in bytes; longer names are stored as their beginning and a hash. */
const maxNameBytes = 232;

// Int32 indexes of the header.
const lockIndex = 0;
const threadsIndex = 1;
const madeIndex = 2;

// Layout of a record: length of the name, number of the record in the order of creation, the cell of all threads. Then
// for each thread its own cell and a flag for use. Then the name.
const commonOffset = 8;
const threadsOffset = 16;
const threadBytes = 8;

/** A record in use by this thread. */
export interface SharedRecord {
  /** Name of the record; the same name is the same record. */
  readonly name: string;
  /** Position of its first byte. */
  readonly at: number;
}

function keptName(name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes <= maxNameBytes) {
    return name;
  }
  const start = Buffer.from(name)
    .subarray(0, 160)
    .toString("latin1")
    .replace(/[^ -~]/g, "?");
  return `${start}#${createHash("sha256").update(name).digest("hex")}`;
}

/**
 * Named cells in memory that all threads of the process see. A record has one cell of 64 bits for all threads, and one
 * of 32 bits for each thread. Finding the record of a name needs a lock; reading and writing its cells does not.
 */
export class SharedTable {
  readonly buffer: SharedArrayBuffer;
  /** Number of this thread; 0 is the main thread. */
  readonly thread: number;
  readonly threads: number;
  readonly #int32: Int32Array;
  readonly #int64: BigInt64Array;
  readonly #bytes: Buffer;
  readonly #recordBytes: number;
  readonly #places: number;
  /** Records that this thread uses, by name, with the number of uses. */
  readonly #taken = new Map<string, { readonly record: SharedRecord; times: number }>();

  /** @param threads number of threads, including the main thread */
  static create(threads: number): SharedTable {
    const buffer = new SharedArrayBuffer(tableBytes);
    new Int32Array(buffer)[threadsIndex] = threads;
    return new SharedTable(buffer, 0);
  }

  constructor(buffer: SharedArrayBuffer, thread: number) {
    this.buffer = buffer;
    this.thread = thread;
    this.#int32 = new Int32Array(buffer);
    this.#int64 = new BigInt64Array(buffer);
    this.#bytes = Buffer.from(buffer);
    this.threads = this.#int32[threadsIndex] ?? 1;
    this.#recordBytes = Math.ceil((threadsOffset + this.threads * threadBytes + maxNameBytes) / 8) * 8;
    this.#places = Math.floor((buffer.byteLength - headerBytes) / this.#recordBytes);
  }

  /** Acquires the record of a name, or creates it with all cells 0. @throws ServerError SHARED_FULL */
  take(name: string): SharedRecord {
    const kept = keptName(name);
    const taken = this.#taken.get(kept);
    if (taken !== undefined) {
      taken.times++;
      return taken.record;
    }
    const record = this.#locked(() => {
      const found = this.#findOrMake(kept);
      Atomics.store(this.#int32, this.#levelIndex(found.at, this.thread) + 1, 1);
      return found;
    });
    this.#taken.set(kept, { record, times: 1 });
    return record;
  }

  /** Releases a record; it is removed when no thread uses it any more. */
  release(record: SharedRecord): void {
    const taken = this.#taken.get(record.name);
    if (taken === undefined) {
      return;
    }
    taken.times--;
    if (taken.times === 0) {
      this.#taken.delete(record.name);
      Atomics.store(this.#int32, this.#levelIndex(record.at, this.thread) + 1, 0);
    }
  }

  /** All records in use by any thread whose names begin with `prefix`, in the order of creation. */
  list(prefix: string): SharedRecord[] {
    return this.#locked(() => {
      const found: SharedRecord[] = [];
      for (const record of this.#records()) {
        if (record.name.startsWith(prefix)) {
          found.push(record);
        }
      }
      return found.sort((a, b) => this.#order(a) - this.#order(b));
    });
  }

  /** Adds to the cell that all threads share. @returns its new value */
  addCommon(record: SharedRecord, amount: number): number {
    return Number(Atomics.add(this.#int64, this.#commonIndex(record), BigInt(amount))) + amount;
  }

  common(record: SharedRecord): number {
    return Number(Atomics.load(this.#int64, this.#commonIndex(record)));
  }

  setCommon(record: SharedRecord, value: number): void {
    Atomics.store(this.#int64, this.#commonIndex(record), BigInt(value));
  }

  /** @returns true when the cell was `expected` and was set to `value` */
  exchangeCommon(record: SharedRecord, expected: number, value: number): boolean {
    const was = BigInt(expected);
    return Atomics.compareExchange(this.#int64, this.#commonIndex(record), was, BigInt(value)) === was;
  }

  /** Adds to the cell of this thread. */
  addOwn(record: SharedRecord, amount: number): void {
    Atomics.add(this.#int32, this.#levelIndex(record.at, this.thread), amount);
  }

  /** Sum of the cells of all threads. */
  sum(record: SharedRecord): number {
    let total = 0;
    for (let thread = 0; thread < this.threads; thread++) {
      total += Atomics.load(this.#int32, this.#levelIndex(record.at, thread));
    }
    return total;
  }

  /** Clears the cells of a thread that died, and removes its uses. */
  forget(thread: number): void {
    Atomics.compareExchange(this.#int32, lockIndex, thread + 1, 0);
    this.#locked(() => {
      for (const record of this.#records()) {
        Atomics.store(this.#int32, this.#levelIndex(record.at, thread), 0);
        Atomics.store(this.#int32, this.#levelIndex(record.at, thread) + 1, 0);
      }
    });
  }

  #commonIndex(record: SharedRecord): number {
    return (record.at + commonOffset) / 8;
  }

  #levelIndex(at: number, thread: number): number {
    return (at + threadsOffset + thread * threadBytes) / 4;
  }

  #isUsed(at: number): boolean {
    for (let thread = 0; thread < this.threads; thread++) {
      if (Atomics.load(this.#int32, this.#levelIndex(at, thread) + 1) === 1) {
        return true;
      }
    }
    return false;
  }

  #order(record: SharedRecord): number {
    return this.#int32[record.at / 4 + 1] ?? 0;
  }

  #nameAt(at: number): number {
    return at + threadsOffset + this.threads * threadBytes;
  }

  #locked<Result>(work: () => Result): Result {
    const mine = this.thread + 1;
    for (;;) {
      const holder = Atomics.compareExchange(this.#int32, lockIndex, 0, mine);
      if (holder === 0) {
        break;
      }
      Atomics.wait(this.#int32, lockIndex, holder, 1);
    }
    try {
      return work();
    } finally {
      Atomics.store(this.#int32, lockIndex, 0);
      Atomics.notify(this.#int32, lockIndex, 1);
    }
  }

  *#records(): Generator<SharedRecord> {
    for (let place = 0; place < this.#places; place++) {
      const at = this.#placeAt(place);
      if (this.#int32[at / 4] !== 0 && this.#isUsed(at)) {
        yield { name: this.#nameOf(at), at };
      }
    }
  }

  #placeAt(place: number): number {
    return headerBytes + place * this.#recordBytes;
  }

  #nameOf(at: number): string {
    const start = this.#nameAt(at);
    return this.#bytes.toString("utf8", start, start + (this.#int32[at / 4] ?? 0));
  }

  /** Open addressing: a slot that was never used ends the search; a released slot is reused. */
  #findOrMake(name: string): SharedRecord {
    const first = hashOf(name) % this.#places;
    let free: number | undefined;
    for (let probe = 0; probe < maxProbes; probe++) {
      const at = this.#placeAt((first + probe) % this.#places);
      const neverUsed = this.#int32[at / 4] === 0;
      if (neverUsed || !this.#isUsed(at)) {
        free ??= at;
      } else if (this.#nameOf(at) === name) {
        return { name, at };
      }
      if (neverUsed) {
        break;
      }
    }
    if (free === undefined) {
      throw new ServerError(
        "SHARED_FULL",
        `no place for another shared counter, of ${this.#places} too many are in use`,
      );
    }
    this.#bytes.fill(0, free, free + this.#recordBytes);
    this.#int32[free / 4 + 1] = Atomics.add(this.#int32, madeIndex, 1);
    this.#int32[free / 4] = this.#bytes.write(name, this.#nameAt(free), "utf8");
    return { name, at: free };
  }
}

/** FNV-1a over UTF-16. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
