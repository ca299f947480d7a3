import { StorageError } from "storage/api";

/** In all lists of one keeper: some megabytes. */
const defaultMaxItems = 100_000;

export interface KeptListsOptions {
  /** How old an answer may be that is given from memory, in milliseconds; 0 keeps none. */
  readonly maxAgeMs: number;
  /** Of all lists together; a longer one is not kept, and the oldest give way. */
  readonly maxItems?: number;
  /** Whether a list may be given from memory; all may by default. */
  readonly isToKeep?: (list: readonly unknown[]) => boolean;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

interface KeptList<T> {
  readonly list: readonly T[];
  /** When it was asked for: it says what was so then, or later. */
  readonly askedAtMs: number;
}

interface Question<T> {
  readonly askedAtMs: number;
  readonly answer: Promise<readonly T[]>;
  readonly abort: AbortController;
  /** Those who wait for it; it is given up with the last of them. */
  waiting: number;
}

/**
 * Short lists that many ask for again and again, as pages and dashboards do for names: an answer is given from memory while
 * it is young, those who ask at a time share one question, and while somebody asks, the next answer is fetched before the last
 * one is too old. Errors are not kept.
 */
export class KeptLists<T> {
  readonly #maxAgeMs: number;
  readonly #maxItems: number;
  readonly #isToKeep: (list: readonly unknown[]) => boolean;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #kept = new Map<string, KeptList<T>>();
  #keptItems = 0;
  readonly #questions = new Map<string, Question<T>>();

  constructor({
    maxAgeMs,
    maxItems = defaultMaxItems,
    isToKeep = () => true,
    now = () => performance.now(),
  }: KeptListsOptions) {
    this.#isToKeep = isToKeep;
    this.#maxAgeMs = maxAgeMs;
    this.#maxItems = maxItems;
    this.#now = now;
  }

  /**
   * The list as it was at most `maxAgeMs` ago. Nobody may change it: others get the same.
   * @param key what is asked, and on whose behalf
   * @param signal of the one who asks; the question goes on while others wait for it
   * @param ask puts the question
   * @throws StorageError STORAGE_ABORTED, and what `ask` throws
   */
  async get(
    key: string,
    signal: AbortSignal | undefined,
    ask: (signal: AbortSignal | undefined) => Promise<readonly T[]>,
  ): Promise<readonly T[]> {
    if (this.#maxAgeMs === 0) return await ask(signal);
    const now = this.#now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.askedAtMs <= this.#maxAgeMs) {
      if (now - kept.askedAtMs > this.#maxAgeMs / 2 && !this.#questions.has(key)) {
        // For whoever is next; nobody waits for it, and nobody gives it up. Should it fail, the next one asks anew.
        this.#put(key, now, ask).waiting++;
      }
      return kept.list;
    }
    const question = this.#questions.get(key);
    const isRecent = question !== undefined && now - question.askedAtMs <= this.#maxAgeMs;
    return await this.#wait(isRecent ? question : this.#put(key, now, ask), signal);
  }

  #put(key: string, askedAtMs: number, ask: (signal: AbortSignal) => Promise<readonly T[]>): Question<T> {
    const abort = new AbortController();
    const answer = ask(abort.signal).then((list) => {
      if (this.#isToKeep(list)) this.#keep(key, { list, askedAtMs });
      return list;
    });
    const question: Question<T> = { askedAtMs, answer, abort, waiting: 0 };
    this.#questions.set(key, question);
    const forget = () => {
      if (this.#questions.get(key) === question) this.#questions.delete(key);
    };
    answer.then(forget, forget);
    // Nobody may join one that is given up.
    abort.signal.addEventListener("abort", forget, { once: true });
    return question;
  }

  async #wait(question: Question<T>, signal: AbortSignal | undefined): Promise<readonly T[]> {
    question.waiting++;
    if (signal === undefined) return await question.answer;
    const left = Promise.withResolvers<never>();
    const leave = () => {
      question.waiting--;
      if (question.waiting === 0) question.abort.abort();
      left.reject(new StorageError("STORAGE_ABORTED", "the caller gave up"));
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([question.answer, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #keep(key: string, kept: KeptList<T>): void {
    const before = this.#kept.get(key);
    // An answer to an older question may come later.
    if (before !== undefined && before.askedAtMs > kept.askedAtMs) return;
    this.#drop(key);
    if (kept.list.length >= this.#maxItems) return;
    this.#kept.set(key, kept);
    this.#keptItems += itemsOf(kept);
    const oldestMs = this.#now() - this.#maxAgeMs;
    for (const [oldest, { askedAtMs }] of this.#kept) {
      if (this.#keptItems <= this.#maxItems && askedAtMs >= oldestMs) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#keptItems -= itemsOf(kept);
  }
}

/** An empty list takes room too. */
function itemsOf({ list }: KeptList<unknown>): number {
  return list.length + 1;
}
