import { LRUCache } from "lru-cache";

/** Works that are remembered; the oldest are forgotten first. */
const maxWorks = 10_000;
/** Time for which later callers get the result of finished work. */
const keptMs = 60_000;
/** A thread that took work and was silent for this time has lost it. */
const patienceMs = 30_000;

/** Work that one caller has taken. */
interface Work {
  /** Result, once the thread that works has it. */
  readonly result: Promise<string | undefined>;
  /** Ends the wait of all. */
  readonly settle: (value: string | undefined) => void;
}

/** The answer to a caller: do the work, or the result of another caller's work. */
export type WorkAnswer =
  | { readonly doIt: true }
  | { readonly doIt: false; readonly result: string | undefined };

/**
 * Lets one of many threads do work that may be done only once; the others wait for its result.
 * | Caller | Gets |
 * |---|---|
 * | the first with a key | `doIt: true`, and must call `settle` |
 * | others, while it works | the result, when it arrives |
 * | others, up to a minute later | the same result |
 * | others, after a failure | the next of them does the work |
 * | others, after 30 s of silence | no result, and they go on as after a failure |
 */
export class SharedWork {
  /** Works by key, with or without a result. */
  readonly #works = new LRUCache<string, Work>({
    maxSize: maxWorks, // as `max` it would take room for all at once
    sizeCalculation: () => 1,
    ttl: keptMs,
  });

  /** @param key says which work */
  async ask(key: string): Promise<WorkAnswer> {
    const work = this.#works.get(key);
    if (work !== undefined) {
      return { doIt: false, result: await work.result };
    }
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const timer = setTimeout(resolve, patienceMs, undefined);
    timer.unref();
    const settle = (value: string | undefined) => {
      clearTimeout(timer);
      resolve(value);
    };
    this.#works.set(key, { result: promise, settle });
    return { doIt: true };
  }

  /** Publishes the result. @param result undefined: none, and the next caller does the work */
  settle(key: string, result: string | undefined): void {
    this.#works.get(key)?.settle(result);
    if (result === undefined) {
      this.#works.delete(key);
    }
  }
}
