import { type Line, line } from "serverfile/to-text/lines/line";
import { ResponseMatchers } from "serverfile/to-text/matchers/response-matchers";
import type { Members } from "serverfile/to-text/members";
import type { WriteContext } from "serverfile/to-text/routes/handler-writer";
import { inReadingOrder, type Numbered, type RouteBlock } from "serverfile/to-text/routes/route-block";

interface Entry extends Numbered {
  readonly line: Line;
  readonly block: RouteBlock;
}

function entryOf(block: RouteBlock, words: readonly string[]): Entry {
  const { groups, firstGroup } = block;
  const arrange = (base: number) => block.arrange(base);
  return { line: { words, block }, block, groups, firstGroup, arrange };
}

/**
 * `replace_status` and `handle_response` of `reverse_proxy` and `intercept`. In the config, blocks without a matcher
 * always come last. The group names in the blocks record the order of the text.
 */
export class ResponseBlocks implements Numbered {
  readonly #head: readonly Line[];
  #entries: readonly Entry[];

  /** @throws ServerError CONFIG_INEXPRESSIBLE */
  constructor(handlers: readonly Members[], { sortedRoutes }: WriteContext) {
    const matchers = new ResponseMatchers();
    const replaced: Line[] = [];
    const entries: Entry[] = [];
    for (const handler of handlers) {
      const match = handler.take("match");
      const status = handler.take("status_code");
      const name = match === undefined ? [] : [matchers.nameOf(match, handler.pathOf("match"))];
      if (status !== undefined) {
        replaced.push(line("replace_status", ...name, String(status)));
      } else {
        const block = sortedRoutes(handler.take("routes"), handler.pathOf("routes"));
        entries.push(entryOf(block, ["handle_response", ...name]));
      }
      handler.done("handle_response");
    }
    this.#head = [...matchers.definitions, ...replaced];
    this.#entries = entries;
  }

  get lines(): readonly Line[] {
    return [...this.#head, ...this.#entries.map((entry) => entry.line)];
  }

  get groups(): number {
    return this.#entries.reduce((sum, { groups }) => sum + groups, 0);
  }

  get firstGroup(): number | undefined {
    let before = 0;
    const firsts: number[] = [];
    for (const { groups, firstGroup } of this.#entries) {
      if (firstGroup === undefined) {
        before += groups;
      } else {
        firsts.push(firstGroup - before);
      }
    }
    return firsts.length === 0 ? undefined : Math.min(...firsts);
  }

  arrange(base: number): void {
    this.#entries = inReadingOrder(this.#entries, base);
    let next = base;
    for (const entry of this.#entries) {
      entry.arrange(next);
      next += entry.groups;
    }
  }
}
