import type { Block } from "./block.ts";

/** Directives whose arguments are upstreams: such directives from several containers are merged into one. */
const withUpstreams = new Set(["reverse_proxy", "php_fastcgi"]);

function isMatcherText(text: string): boolean {
  return text === "*" || text.startsWith("/") || text.startsWith("@");
}

function matcherOf({ keys }: Block): string {
  const second = keys[1]?.text;
  return second !== undefined && isMatcherText(second) ? second : "*";
}

function haveSameKeys(a: Block, b: Block): boolean {
  return a.keys.length === b.keys.length && a.keys.every(({ text }, index) => text === b.keys[index]?.text);
}

/**
 * Adds blocks to other blocks. Sites, options and directives with the same words are merged. Proxies with the same
 * matcher are merged, too, and get the upstreams of both. Source: the plug-in caddy-docker-proxy
 */
export function mergeBlocks(into: Block[], added: readonly Block[]): void {
  merge(into, added, () => into);
}

/** @param candidates blocks with which an added block may be merged */
function merge(into: Block[], added: readonly Block[], candidates: () => readonly Block[]): void {
  for (const block of added) {
    const name = block.keys[0]?.text ?? "";
    const like = candidates().find((one) =>
      withUpstreams.has(name)
        ? one.keys[0]?.text === name && matcherOf(one) === matcherOf(block)
        : haveSameKeys(one, block),
    );
    if (like === undefined) {
      into.push(block);
      continue;
    }
    if (withUpstreams.has(name)) {
      const [, second, ...rest] = block.keys;
      const isUpstream = second !== undefined && !isMatcherText(second.text);
      like.keys.push(...(isUpstream ? [second] : []), ...rest);
    }
    // Directives of the same container are never merged: `route_0` and `route_1` must stay separate.
    const before = [...like.children];
    merge(like.children, block.children, () => before);
  }
}
