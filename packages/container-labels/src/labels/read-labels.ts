import { errorWithin } from "server-core/errors";
import { type Block, lastOrder, newBlock } from "./block.ts";
import { readArguments } from "./read-arguments.ts";

/**
 * Matches a label. Groups: the parts before the last, the order, the name without numbers, and the number at the end
 * of `route_0`.
 */
const labelPattern = /^(?:(.+)\.)?(?:(\d{1,9})_)?([^.]+?)(?:_(\d+))?$/s;

/** Replaces an escaped dot (`\.`) while a label is split. */
const escapedDot = "\0";

/** Deepest nesting of blocks; each level is a part of a label. */
const maxDepth = 100;

interface Place {
  /** Label of the parent block; "" for a block at the top. */
  readonly parent: string;
  readonly order: number;
  readonly name: string;
}

/** Splits a label into its parts. @throws Error for an invalid label */
function placeOf(label: string): Place {
  const [, parent = "", order, name] = labelPattern.exec(label.replaceAll("\\.", escapedDot)) ?? [];
  if (name === undefined) {
    throw new Error(`label ${JSON.stringify(label)} has an empty part`);
  }
  return {
    parent: parent.replaceAll(escapedDot, "\\."),
    order: order === undefined ? lastOrder : Number(order),
    name: name.replaceAll(escapedDot, "."),
  };
}

/**
 * The labels that begin with a prefix; `caddy` replaces the prefix. The result includes the prefix itself, `prefix_1`,
 * and the labels below them.
 */
export function labelsWith(prefix: string, labels: Readonly<Record<string, string>>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [label, value] of Object.entries(labels)) {
    if (label.startsWith(prefix) && /^(?:_\d+)?(?:\.|$)/.test(label.slice(prefix.length))) {
      found.set(`caddy${label.slice(prefix.length)}`, value);
    }
  }
  return found;
}

/**
 * Converts labels to blocks. Dots separate levels, and values are arguments. `_1` at the end of a part separates it
 * from equal parts; `1_` in front of a part is its order. Source: the plug-in caddy-docker-proxy
 * @param labels labels from {@link labelsWith}
 * @param render evaluates the templates in a value
 * @throws Error that names the label
 */
export async function readLabels(
  labels: ReadonlyMap<string, string>,
  render: (value: string) => Promise<string>,
): Promise<Block[]> {
  const top: Block[] = [];
  const known = new Map<string, Block>();
  const blockOf = (label: string, depth: number): Block => {
    const found = known.get(label);
    if (found !== undefined) {
      return found;
    }
    if (depth > maxDepth) {
      throw new Error(`label ${JSON.stringify(label)} is nested deeper than ${maxDepth}`);
    }
    const { parent, order, name } = placeOf(label);
    const block = newBlock(order);
    if (parent === "") {
      top.push(block);
    } else {
      block.keys.push({ text: name });
      blockOf(parent, depth + 1).children.push(block);
    }
    known.set(label, block);
    return block;
  };
  // The labels are sorted by name, so that the same labels always give the same text.
  for (const [label, value] of [...labels].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const block = blockOf(label, 0);
    try {
      block.keys.push(...readArguments(await render(value)).map((text) => ({ text })));
    } catch (error) {
      throw errorWithin(`label ${label}`, error);
    }
  }
  return top;
}
