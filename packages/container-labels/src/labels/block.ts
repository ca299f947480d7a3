/** A word of a block. */
export interface Key {
  readonly text: string;
  /** True when the word was in quotes in the file, so it cannot open or close a block, or begin a comment. */
  readonly isQuoted?: boolean;
}

/**
 * A part of a serverfile: global options, a snippet, a site, a matcher, a directive, or a line inside these. Its text
 * has the keys on one line, and the children in braces.
 */
export interface Block {
  /** Position among the siblings. Blocks without an order number come last. */
  order: number;
  keys: Key[];
  children: Block[];
}

/** The order of a block whose label has no order number. */
export const lastOrder = 2 ** 31 - 1;

export function newBlock(order = lastOrder): Block {
  return { order, keys: [], children: [] };
}

export function isGlobal({ keys }: Block): boolean {
  return keys.length === 0;
}

/** True for a snippet, such as `(name)`, which imports use. */
function isSnippet({ keys }: Block): boolean {
  const [first] = keys;
  return keys.length === 1 && first !== undefined && first.text.startsWith("(") && first.text.endsWith(")");
}

function isMatcher({ keys }: Block): boolean {
  return keys[0]?.text.startsWith("@") === true;
}

function firstTrue(a: boolean, b: boolean): number {
  return Number(b) - Number(a);
}

function compareKeys(a: Block, b: Block): number {
  const common = Math.min(a.keys.length, b.keys.length);
  for (let index = 0; index < common; index++) {
    const [one, other] = [a.keys[index]?.text ?? "", b.keys[index]?.text ?? ""];
    if (one !== other) {
      return one < other ? -1 : 1;
    }
  }
  return a.keys.length - b.keys.length;
}

function compareChildren(a: Block, b: Block): number {
  const common = Math.min(a.children.length, b.children.length);
  for (let index = 0; index < common; index++) {
    const order = compareBlocks(a.children[index] as Block, b.children[index] as Block);
    if (order !== 0) {
      return order;
    }
  }
  return a.children.length - b.children.length;
}

/**
 * Compares kinds first: global options, then snippets, then matchers, then all others; then order, keys and children.
 * Source: the plug-in caddy-docker-proxy
 */
function compareBlocks(a: Block, b: Block): number {
  return (
    firstTrue(isGlobal(a), isGlobal(b)) ||
    firstTrue(isSnippet(a), isSnippet(b)) ||
    firstTrue(isMatcher(a), isMatcher(b)) ||
    a.order - b.order ||
    compareKeys(a, b) ||
    compareChildren(a, b)
  );
}

/** Sorts blocks, and the blocks inside them. Equal blocks stay in their order. */
export function sortBlocks(blocks: Block[]): void {
  for (const { children } of blocks) {
    sortBlocks(children);
  }
  blocks.sort(compareBlocks);
}
