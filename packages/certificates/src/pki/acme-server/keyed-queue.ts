/**
 * Runs tasks of one key one after the other, and tasks of different keys at the same time. A failed task does not stop
 * the tasks after it.
 *
 * The ACME endpoints use the id of a record as the key, so that no other task changes the record between reading and
 * writing.
 */
export class KeyedQueue {
  /**
   * The last waiting or running task of each key. An entry is removed when its task ends and no other task waits for
   * it.
   */
  readonly #last = new Map<string, Promise<unknown>>();

  /** @returns the result of the task; fails with the task's error */
  async run<Value>(key: string, task: () => Promise<Value>): Promise<Value> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(task, task);
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) {
        this.#last.delete(key);
      }
    }
  }
}
