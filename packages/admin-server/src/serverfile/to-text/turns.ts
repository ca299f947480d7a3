import { setImmediate as nextTurn } from "node:timers/promises";

const maxMilliseconds = 10;

/** Lets other work of the process have its turn while something long is computed. */
export class Turns {
  #since = performance.now();

  /** Waits for a turn, if the last one took long. */
  async next(): Promise<void> {
    if (performance.now() - this.#since > maxMilliseconds) {
      await nextTurn();
      this.#since = performance.now();
    }
  }
}
