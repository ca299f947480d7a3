import { StorageError } from "storage/errors";

/** Default limit of items in all lists of one cache: some megabytes. */
const defaultMaxItems = 100_000;

/** Settings of a cache. */
export interface NameCacheOptions {
  /** Maximum age of a cached answer in milliseconds; 0 disables the cache. */
  readonly maxAgeMs: number;
  /**
   * Maximum number of items in all lists together. A list over the limit is not cached, and the oldest lists are
   * dropped first.
   */
  readonly maxItems?: number;
  /** Returns true when a list may be cached. Default: all lists. */
  readonly isToKeep?: (list: readonly unknown[]) => boolean;
  /** A monotonic clock in milliseconds; tests pass another clock. */
  readonly now?: () => number;
}

interface CachedList<T> {
  /** The answer. Callers share it, and must not change it. */
  readonly list: readonly T[];
  /** Time when the list was requested. The list shows the state of this time or later. */
  readonly askedAtMs: number;
}

/** A running request. */
interface Question<T> {
  /** Time when the request was sent, by the cache's clock. */
  readonly askedAtMs: number;
  /** The answer, for all waiting callers. */
  readonly answer: Promise<readonly T[]>;
  readonly abort: AbortController;
  /** Callers that wait for this answer. The request is aborted when the last caller leaves. */
  waiting: number;
}

/**
 * A cache of short lists that pages and dashboards request often, such as names.
 *
 * - Key: a text of the query and the tenant, which the caller writes.
 * - Life: `maxAgeMs` from the request, not from the answer. In the second half of this time a caller starts a new
 *   request for the next caller, and gets the cached list immediately.
 * - Bound: `maxItems` items in all lists together; the oldest lists are dropped first.
 *
 * Concurrent callers with one key share a request. Errors are not cached.
 */
export class NameCache<T> {
  readonly #maxAgeMs: number;
  readonly #maxItems: number;
  readonly #isToKeep: (list: readonly unknown[]) => boolean;
  readonly #now: () => number;
  /** Cached lists by key, oldest first. */
  readonly #kept = new Map<string, CachedList<T>>();
  #keptItems = 0;
  readonly #questions = new Map<string, Question<T>>();

  constructor({
    maxAgeMs,
    maxItems = defaultMaxItems,
    isToKeep = () => true,
    now = () => performance.now(),
  }: NameCacheOptions) {
    this.#isToKeep = isToKeep;
    this.#maxAgeMs = maxAgeMs;
    this.#maxItems = maxItems;
    this.#now = now;
  }

  /**
   * Returns the list, at most `maxAgeMs` old. Callers share the list, and must not change it.
   * @param key identifies the query and the tenant
   * @param signal of this caller; the request continues while other callers wait
   * @param ask sends the request
   * @throws StorageError STORAGE_ABORTED, and what `ask` throws
   */
  async get(
    key: string,
    signal: AbortSignal | undefined,
    ask: (signal: AbortSignal | undefined) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    if (this.#maxAgeMs === 0) {
      return await ask(signal);
    }
    const now = this.#now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.askedAtMs <= this.#maxAgeMs) {
      if (now - kept.askedAtMs > this.#maxAgeMs / 2 && !this.#questions.has(key)) {
        // This request is for the next caller. Nobody waits for this request, and nothing aborts it. When it fails,
        // the next caller sends a new request.
        this.#put(key, now, ask).waiting++;
      }
      return kept.list;
    }
    const question = this.#questions.get(key);
    const isRecent = question !== undefined && now - question.askedAtMs <= this.#maxAgeMs;
    return await this.#wait(isRecent ? question : this.#put(key, now, ask), signal);
  }

  /** Sends a request, and keeps its answer for later callers. */
  #put(key: string, askedAtMs: number, ask: (signal: AbortSignal) => Promise<readonly T[]>): Question<T> {
    const abort = new AbortController();
    const answer = ask(abort.signal).then((list) => {
      if (this.#isToKeep(list)) {
        this.#keep(key, { list, askedAtMs });
      }
      return list;
    });
    const question: Question<T> = { askedAtMs, answer, abort, waiting: 0 };
    this.#questions.set(key, question);
    const forget = () => {
      if (this.#questions.get(key) === question) {
        this.#questions.delete(key);
      }
    };
    answer.then(forget, forget);
    // No caller may join an aborted request.
    abort.signal.addEventListener("abort", forget, { once: true });
    return question;
  }

  /** Waits for the answer, or until this caller leaves. The last caller to leave aborts the request. */
  async #wait(question: Question<T>, signal: AbortSignal | undefined): Promise<readonly T[]> {
    question.waiting++;
    if (signal === undefined) {
      return await question.answer;
    }
    const left = Promise.withResolvers<never>();
    const leave = () => {
      question.waiting--;
      if (question.waiting === 0) {
        question.abort.abort();
      }
      left.reject(new StorageError("STORAGE_ABORTED", "the caller gave up"));
    };
    if (signal.aborted) {
      leave();
    } else {
      signal.addEventListener("abort", leave, { once: true });
    }
    try {
      return await Promise.race([question.answer, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** Puts a list into the cache, and drops the oldest lists above the bound or the age. */
  #keep(key: string, kept: CachedList<T>): void {
    const before = this.#kept.get(key);
    // The answer of an older request may arrive after the answer of a newer request.
    if (before !== undefined && before.askedAtMs > kept.askedAtMs) {
      return;
    }
    this.#drop(key);
    if (kept.list.length >= this.#maxItems) {
      return;
    }
    this.#kept.set(key, kept);
    this.#keptItems += itemsOf(kept);
    const oldestMs = this.#now() - this.#maxAgeMs;
    for (const [oldest, { askedAtMs }] of this.#kept) {
      if (this.#keptItems <= this.#maxItems && askedAtMs >= oldestMs) {
        break;
      }
      this.#drop(oldest);
    }
  }

  /** Removes a list from the cache, if present. */
  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) {
      return;
    }
    this.#kept.delete(key);
    this.#keptItems -= itemsOf(kept);
  }
}

/** An empty list takes memory too, so it counts as one item. */
function itemsOf({ list }: CachedList<unknown>): number {
  return list.length + 1;
}
