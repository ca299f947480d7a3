import type { Exchange } from "./exchange.ts";

/**
 * The running requests at one server, in an array. Each exchange knows its own index. A `Set` would allocate a new
 * table every few requests, and those tables would outlive the young generation of the heap.
 */
export class ActiveExchanges {
  readonly #all: Exchange[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(exchange: Exchange): void {
    exchange.activeIndex = this.#all.length;
    this.#all.push(exchange);
  }

  /** @returns true when the exchange was in the list */
  delete(exchange: Exchange): boolean {
    const index = exchange.activeIndex;
    const last = this.#all.at(-1);
    if (index < 0 || last === undefined) {
      return false;
    }
    this.#all.pop();
    if (last !== exchange) {
      this.#all[index] = last;
      last.activeIndex = index;
    }
    exchange.activeIndex = -1;
    return true;
  }

  /** A copy of the running exchanges, because the caller may end some of them during its loop. */
  all(): readonly Exchange[] {
    return [...this.#all];
  }
}
