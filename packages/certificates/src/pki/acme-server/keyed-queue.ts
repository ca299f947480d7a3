/**
 * Runs tasks of one key one after the other, and tasks of different keys at the same time. A task that fails
 * does not stop those behind it.
 *
 * An endpoint reads a record, changes it and writes it back; its key is the record's id.
 */
export class KeyedQueue {
  /** The newest task of each key; removed when it ends and no other waits behind it. */
  readonly #last = new Map<string, Promise<unknown>>();

  /** @returns what the task returns; it fails with the task's error */
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
