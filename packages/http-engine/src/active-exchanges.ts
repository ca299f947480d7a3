import type { Exchange } from "./exchange.ts";

/**
 * The running requests at one server: an array in which each exchange knows its place. A `Set` allocates a
 * new table every few requests, and the tables outlive the young generation of the heap.
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

  /** @returns whether it was there */
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

  /** A copy of the exchanges under way, because the caller may end some while it goes through them. */
  all(): readonly Exchange[] {
    return [...this.#all];
  }
}
