// Directives are sorted when a text is read. A config with another order of routes needs the option `order`: a list with
// `respond` before `header` is written with `order respond before header`.

import { type Line, line } from "../lines/line.ts";
import type { RouteBlock } from "./route-block.ts";

/** An order of directives, with the `order` options that create it. */
export class DirectiveOrder {
  /** Directives in the order of execution. */
  readonly names: readonly string[];
  /** Options `order …` that change the default order to this order. */
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

/**
 * Collects pairs of directives, so that sorting keeps the routes in order. In each pair, the first directive must
 * precede the second.
 */
export class OrderNeeds {
  readonly order: DirectiveOrder;
  /** Required pairs, each as the text `before after`. */
  readonly #pairs = new Set<string>();

  constructor(order: DirectiveOrder) {
    this.order = order;
  }

  /** Adds the directives of a sorted list. */
  need(directives: readonly string[]): void {
    const names = [...new Set(directives.map((name) => (name === "handle_path" ? "handle" : name)))];
    names.forEach((name, index) => {
      for (const later of names.slice(index + 1)) {
        this.#pairs.add(`${name} ${later}`);
      }
    });
  }

  /** True when sorting would not change the order of the directives in a block. */
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
   * Searches another order that keeps all routes in place; undefined when this order already does, or when none is
   * found. The search may fail: it has at most 20 rounds, and each round makes the move that corrects most pairs.
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

function violations(order: DirectiveOrder, pairs: readonly (readonly [string, string])[]) {
  return pairs.filter(([before, after]) => order.positionOf(before) > order.positionOf(after));
}

/** An order in which one directive is moved, with the option `order` for this move. */
function move(order: DirectiveOrder, name: string, where: "before" | "after", other: string): DirectiveOrder {
  const names = order.names.filter((each) => each !== name);
  names.splice(names.indexOf(other) + (where === "after" ? 1 : 0), 0, name);
  return new DirectiveOrder(names, [...order.lines, line("order", name, where, other)]);
}
