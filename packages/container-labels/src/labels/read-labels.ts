import { errorWithin } from "server-core/errors";
import { type Block, lastOrder, newBlock } from "./block.ts";
import { readArguments } from "./read-arguments.ts";

/** The last part of a label: `1_reverse_proxy`, `route_0`; what stands before it, and the name without its numbers. */
const labelPattern = /^(?:(.+)\.)?(?:(\d{1,9})_)?([^.]+?)(?:_(\d+))?$/s;

/** Stands for a dot with a backslash in front while a label is taken apart. */
const escapedDot = "\0";

/** Deepest nesting of blocks; each is a part of a label. */
const maxDepth = 100;

interface Place {
  /** Label of the block around it; "" for one at the top. */
  readonly parent: string;
  readonly order: number;
  readonly name: string;
}

/** @throws Error for a label that is none */
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

/** The labels that have a prefix, with `caddy` in its place: the prefix itself, `prefix_1`, and what is below them. */
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
 * Labels as blocks: dots are nesting, values are arguments, `_1` at the end of a part keeps it apart from
 * others, `1_` in front orders it. Source: the plug-in caddy-docker-proxy
 * @param labels as {@link labelsWith} gives them
 * @param render a value without its templates
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
  // By name, so that the same labels always are the same text.
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
