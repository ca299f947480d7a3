import { isWithin } from "./share.ts";

/** Limit of locks in one table. Further requests are refused, so memory stays bounded. */
export const maxLocks = 1_000;
/** Bytes before the two copies: holder, generation, and the length of each copy. */
const headerBytes = 64;
/** Bytes of one copy of the table: there are two. */
const copyBytes = 1024 * 1024;
/** A thread that holds the table longer has died: no work on it takes a hundredth of that. */
const longestHoldMs = 2_000;

/** Bytes of the memory that threads share. */
export const lockTableBytes = headerBytes + 2 * copyBytes;

/** A write lock; all are exclusive. */
export interface DavLock {
  /** Names the lock; only its maker learns it. */
  readonly token: string;
  /** File path of the locked resource. */
  readonly file: string;
  /** Path for clients. */
  readonly href: string;
  /** True: all below is locked too. */
  readonly isDeep: boolean;
  /** XML that the client gave to be told to others. */
  readonly owner: string;
  /** Authenticated user who created the lock; "" without authentication. */
  readonly user: string;
  /** Seconds from making or refreshing it to its end. */
  readonly timeoutS: number;
  /** Milliseconds since 1970. */
  readonly expiresMs: number;
}

/** True for a lock on the file, or on a folder above it with all below. */
export function covers({ file, isDeep }: DavLock, path: string): boolean {
  return file === path || (isDeep && isWithin(path, file));
}

// Int32 indexes of the header.
/** Words of the header: 1 while a thread holds the table, the number of the last change, and the lengths. */
const holderIndex = 0;
const generationIndex = 1;
const lengthIndex = 2;

/**
 * The locks of a share, in memory that all threads see: a JSON text in one of two copies. A change is written to the other
 * copy, which then counts, so a thread that dies in between leaves the table as it was.
 */
export class LockTable {
  readonly #words: Int32Array;
  readonly #bytes: Buffer;
  readonly #now: () => number;
  /** The locks as of {@link #read}. */
  #locks: readonly DavLock[] = [];
  /** Generation that `#locks` was read at. */
  #read = 0;
  /** Whether this thread holds the table: then work within work does not wait for itself. */
  #isHolder = false;

  /** @param memory of {@link lockTableBytes}, zero at first */
  constructor(memory: SharedArrayBuffer, now: () => number = Date.now) {
    this.#words = new Int32Array(memory, 0, headerBytes / 4);
    this.#bytes = Buffer.from(memory);
    this.#now = now;
  }

  /** Locks that have not expired. */
  get locks(): readonly DavLock[] {
    if (Atomics.load(this.#words, generationIndex) !== this.#read) {
      this.#hold(() => this.#load());
    }
    const now = this.#now();
    return this.#locks.every(({ expiresMs }) => expiresMs > now)
      ? this.#locks
      : this.#locks.filter(({ expiresMs }) => expiresMs > now);
  }

  /**
   * Changes the table while no other thread does.
   * @param change is given the locks that have not expired and returns those to keep; the same list changes nothing
   * @returns false when the locks do not fit
   */
  change(change: (locks: readonly DavLock[]) => readonly DavLock[]): boolean {
    return this.#hold(() => {
      this.#load();
      const now = this.#now();
      const before = this.#locks.filter(({ expiresMs }) => expiresMs > now);
      const after = change(before);
      return after === before || this.#store(after);
    });
  }

  /** Runs while no other thread changes the table or runs something here; it must not wait. */
  exclusively(work: () => void): void {
    this.#hold(work);
  }

  /** Reads the copy that counts, where another thread changed it. */
  #load(): void {
    const generation = Atomics.load(this.#words, generationIndex);
    if (generation !== this.#read) {
      const copy = generation & 1;
      const start = headerBytes + copy * copyBytes;
      const length = this.#words[lengthIndex + copy] ?? 0;
      this.#locks = JSON.parse(this.#bytes.toString("utf8", start, start + length)) as DavLock[];
      this.#read = generation;
    }
  }

  /** Writes the inactive copy, then activates it. @returns false when the locks do not fit */
  #store(locks: readonly DavLock[]): boolean {
    const bytes = Buffer.from(JSON.stringify(locks));
    if (locks.length > maxLocks || bytes.length > copyBytes) {
      return false;
    }
    const generation = (Atomics.load(this.#words, generationIndex) + 1) | 0;
    const copy = generation & 1;
    bytes.copy(this.#bytes, headerBytes + copy * copyBytes);
    this.#words[lengthIndex + copy] = bytes.length;
    Atomics.store(this.#words, generationIndex, generation);
    this.#locks = locks;
    this.#read = generation;
    return true;
  }

  /** Runs `work` synchronously while the lock is held, which blocks all writing threads. */
  #hold<Result>(work: () => Result): Result {
    if (this.#isHolder) {
      return work();
    }
    let waitedMs = 0;
    while (Atomics.compareExchange(this.#words, holderIndex, 0, 1) !== 0) {
      if (Atomics.wait(this.#words, holderIndex, 1, 1) === "timed-out") {
        waitedMs++;
      }
      if (waitedMs >= longestHoldMs) {
        break;
      }
    }
    this.#isHolder = true;
    try {
      return work();
    } finally {
      this.#isHolder = false;
      Atomics.store(this.#words, holderIndex, 0);
      Atomics.notify(this.#words, holderIndex, 1);
    }
  }
}
