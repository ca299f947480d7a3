import { setImmediate as nextTurn } from "node:timers/promises";

const maxTurnMilliseconds = 10;
const maxComputingMilliseconds = 500;

/** The time that a search may take of its thread: turns of a few milliseconds, half a second in total. */
export class SearchTime {
  #since = performance.now();
  #start = process.threadCpuUsage();
  #microseconds = 0;

  /** Whether it has had what it may take. */
  get isOver(): boolean {
    return this.hasUsed(1);
  }

  /** Whether it has had so much of that, from 0 to 1. */
  hasUsed(share: number): boolean {
    return this.#microseconds > maxComputingMilliseconds * 1000 * share;
  }

  /** Lets other work of the thread have its turn, if this one took long. */
  async nextTurn(): Promise<void> {
    if (performance.now() - this.#since <= maxTurnMilliseconds) {
      return;
    }
    const { user, system } = process.threadCpuUsage(this.#start);
    this.#microseconds += user + system;
    await nextTurn();
    this.#start = process.threadCpuUsage();
    this.#since = performance.now();
  }
}
