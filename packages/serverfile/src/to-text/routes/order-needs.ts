// Directives are sorted when a text is read. A config whose routes are in another order needs the option `order`:
// with `respond` before `header` in a list, `order respond before header` is written.

import { type Line, line } from "../lines/line.ts";
import type { RouteBlock } from "./route-block.ts";

/** The order of directives, with the `order` options that make it. */
export class DirectiveOrder {
  /** Directives in the order in which they run. */
  readonly names: readonly string[];
  /** Options `order …` that make it of the usual order. */
  readonly lines: readonly Line[];

  constructor(names: readonly string[], lines: readonly Line[] = []) {
    this.names = names;
    this.lines = lines;
  }

  /** Position of a directive; `handle_path` has the position of `handle`. */
  positionOf(name: string): number {
    return this.names.indexOf(name === "handle_path" ? "handle" : name);
  }
}

/** Which directives must come before which others, so that sorting keeps the routes as they are. */
export class OrderNeeds {
  readonly order: DirectiveOrder;
  /** `before after`. */
  readonly #pairs = new Set<string>();

  constructor(order: DirectiveOrder) {
    this.order = order;
  }

  /** Notes the directives of a list that is sorted. */
  need(directives: readonly string[]): void {
    const names = [...new Set(directives.map((name) => (name === "handle_path" ? "handle" : name)))];
    names.forEach((name, index) => {
      for (const later of names.slice(index + 1)) {
        this.#pairs.add(`${name} ${later}`);
      }
    });
  }

  /** Whether sorting leaves the directives of a block where they are. */
  isKept(block: RouteBlock): boolean {
    let last = -1;
    return block.statements.every(({ directive }) => {
      const position = this.order.positionOf(directive);
      const fits = position >= last;
      last = position;
      return fits;
    });
  }

  /**
   * Another order that keeps all routes as they are; undefined when this one does, or none is found.
   * It is a search without a guarantee: each round takes the move that mends most pairs, at most 20 rounds.
   */
  better(): DirectiveOrder | undefined {
    const pairs = [...this.#pairs].map((pair) => pair.split(" ") as [string, string]);
    let { order } = this;
    let wrong = violations(order, pairs);
    for (let round = 0; wrong.length > 0 && round < 20; round++) {
      const moves = wrong
        .flatMap(([before, after]) => [
          move(order, before, "before", after),
          move(order, after, "after", before),
        ])
        .map((moved) => ({ moved, left: violations(moved, pairs) }));
      const best = moves.reduce((one, other) => (other.left.length < one.left.length ? other : one));
      if (best.left.length >= wrong.length) {
        return undefined;
      }
      ({ moved: order, left: wrong } = best);
    }
    return order === this.order ? undefined : order;
  }
}

/** Pairs of directives that an order has the wrong way round. */
function violations(order: DirectiveOrder, pairs: readonly (readonly [string, string])[]) {
  return pairs.filter(([before, after]) => order.positionOf(before) > order.positionOf(after));
}

/** An order with one moved directive, and the option `order` that moves it. */
function move(order: DirectiveOrder, name: string, where: "before" | "after", other: string): DirectiveOrder {
  const names = order.names.filter((each) => each !== name);
  names.splice(names.indexOf(other) + (where === "after" ? 1 : 0), 0, name);
  return new DirectiveOrder(names, [...order.lines, line("order", name, where, other)]);
}
