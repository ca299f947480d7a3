/** Does things of one key one after the other, and those of others beside them. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

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
