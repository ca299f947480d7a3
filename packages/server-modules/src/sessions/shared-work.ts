import { LRUCache } from "lru-cache";

/** Maximum number of remembered works; beyond it the oldest are forgotten. */
const maxWorks = 10_000;
/** Milliseconds for which later callers get the result of finished work. */
const keptMs = 60_000;
/** Milliseconds after which a silent thread loses its work. */
const patienceMs = 30_000;

/** A keyed job: the first caller runs it, and later callers get its result. */
interface Work {
  readonly result: Promise<string | undefined>;
  /** Ends the wait of all callers. */
  readonly settle: (value: string | undefined) => void;
}

/** The answer to a caller: a request to do the work, or another caller's result. */
export type WorkAnswer =
  | { readonly doIt: true }
  | { readonly doIt: false; readonly result: string | undefined };

/**
 * Lets one of many threads do work that may be done only once; the others wait for the result.
 * | Caller | Gets |
 * |---|---|
 * | the first with a key | `doIt: true`; it must call `settle` |
 * | others, during the work | the result, once it is available |
 * | others, up to a minute later | the same result |
 * | others, after a failure | the next caller does the work |
 * | others, after 30 s of silence | no result; they continue as after a failure |
 */
export class SharedWork {
  /** Works by key, running or finished. */
  readonly #works = new LRUCache<string, Work>({
    maxSize: maxWorks, // `max` would reserve memory for all entries at once
    sizeCalculation: () => 1,
    ttl: keptMs,
  });

  /** @param key identifies the work */
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

  /** Publishes the result. @param result undefined for a failure: the next caller does the work */
  settle(key: string, result: string | undefined): void {
    this.#works.get(key)?.settle(result);
    if (result === undefined) {
      this.#works.delete(key);
    }
  }
}
