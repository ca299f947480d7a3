import { ServerError } from "../errors.ts";

/** Runs one change at a time, in order of arrival. */
export class ChangeLock {
  readonly #maxWaiting: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param maxWaiting limit of waiting changes; each keeps its body in memory */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /** @throws ServerError CONFIG_BUSY when too many changes are waiting */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= this.#maxWaiting) {
      throw new ServerError("CONFIG_BUSY", `too many config changes are waiting, limit ${this.#maxWaiting}`);
    }
    this.#waiting++;
    try {
      return await this.runAnyway(work);
    } finally {
      this.#waiting--;
    }
  }

  /** Like {@link run}, without the limit of waiting changes. */
  runAnyway<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}
