import { isWithin } from "./share.ts";

/** Maximum number of locks in one table. Further locks are refused, so that memory stays bounded. */
export const maxLocks = 1_000;
/**
 * Maximum number of locks of one user, or without a user, of one client network. It is a tenth of the table, so that
 * nobody takes all locks.
 */
export const maxLocksOfHolder = 100;
/** Maximum number of characters of the locks of one holder, as JSON: a tenth of the table. */
const maxTextOfHolder = 100 * 1024;
/** Bytes of the header: holder, generation, and the length of each copy. */
const headerBytes = 64;
/** Bytes of each of the two copies of the table. */
const copyBytes = 1024 * 1024;
/**
 * Milliseconds after which a thread that still holds the table's lock counts as dead. Normal work takes less than a
 * hundredth of this time.
 */
const longestHoldMs = 2_000;

/** Total size of the shared memory, in bytes. */
export const lockTableBytes = headerBytes + 2 * copyBytes;

/** A write lock. All locks are exclusive. */
export interface DavLock {
  /** Token that identifies the lock. Only the client that created the lock gets the token. */
  readonly token: string;
  /** File path of the locked resource. */
  readonly file: string;
  /** URL path of the resource for clients. */
  readonly href: string;
  /** True when everything below the path is locked too. */
  readonly isDeep: boolean;
  /** The XML with which the creator describes itself; other clients see it. */
  readonly owner: string;
  /** Authenticated user who created the lock; "" without authentication. */
  readonly user: string;
  /** The user; without a user, the network of the client. Locks of one holder are counted together. */
  readonly holder: string;
  /** Lifetime in seconds, counted from creation or refresh. */
  readonly timeoutS: number;
  /** End of the lock, in milliseconds since 1970. */
  readonly expiresMs: number;
}

/** True when the lock is on the path itself, or is a deep lock on a folder above. */
export function covers({ file, isDeep }: DavLock, path: string): boolean {
  return file === path || (isDeep && isWithin(path, file));
}

/** True when the holder of `lock` may have this lock in addition to its locks in the table. */
export function mayHold(locks: readonly DavLock[], lock: DavLock): boolean {
  const held = [...locks.filter(({ holder }) => holder === lock.holder), lock];
  return held.length <= maxLocksOfHolder && JSON.stringify(held).length <= maxTextOfHolder;
}

/** Int32 indexes of the header: 1 while a thread holds the table, the number of the last change, and the lengths. */
const holderIndex = 0;
const generationIndex = 1;
const lengthIndex = 2;

/**
 * The locks of a share, in memory shared by all threads: a JSON text in one of two copies. A change is written to the
 * inactive copy, which then becomes active. If a thread dies in between, the table stays unchanged.
 */
export class LockTable {
  readonly #words: Int32Array;
  readonly #bytes: Buffer;
  readonly #now: () => number;
  /** Locks of the generation `#read`. */
  #locks: readonly DavLock[] = [];
  /** Generation of the table from which `#locks` was read. */
  #read = 0;
  /** True while this thread holds the table, so that nested calls do not wait for themselves. */
  #isHolder = false;

  /** @param memory memory of {@link lockTableBytes}, zero at first */
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
   * Changes the table while no other thread can change it.
   * @param change gets the locks that have not expired, and returns the locks to keep; the same list means no change
   * @returns false when the new locks do not fit into the table
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

  /** Runs synchronous work while no other thread changes the table or runs such work. */
  exclusively(work: () => void): void {
    this.#hold(work);
  }

  /** Reads the active copy, if another thread changed it. */
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

  /** Writes the inactive copy, then activates it. @returns false when the locks do not fit into the copy */
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
