/** Deepest nesting of JSON that is read; the text of deeper JSON is one value. It bounds the recursion. */
const deepest = 64;

/** A number whose digits a double cannot hold, as it was written. */
interface RawNumber {
  readonly rawJSON: string;
}

/** The parts of ECMAScript's JSON.parse with source text, which the compiler's library does not know yet. */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): value is RawNumber;
};

/** JSON in a text: an object or a list. */
export type JsonTree = object;

/**
 * Parses a text that is a JSON object or list. Long numbers keep their digits.
 * @returns undefined for any other text, also for JSON that a sender has cut
 */
export function parseJsonText(text: string): JsonTree | undefined {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) {
    return undefined;
  }
  try {
    const tree = json.parse(text, (_, value, { source }) =>
      typeof value === "number" && source !== undefined && String(value) !== source
        ? json.rawJSON(source)
        : value,
    );
    return depthOf(tree, 0) > deepest ? undefined : (tree as JsonTree);
  } catch {
    return undefined;
  }
}

function isTree(value: unknown): value is JsonTree {
  return typeof value === "object" && value !== null && !json.isRawJSON(value);
}

function depthOf(value: unknown, depth: number): number {
  if (!isTree(value) || depth > deepest) {
    return depth;
  }
  return Object.values(value).reduce<number>((most, one) => Math.max(most, depthOf(one, depth + 1)), depth);
}

/**
 * Changes the texts, numbers and booleans of JSON.
 * @param change gets a value as text, and the path of the member that holds it: `parts.content`, without indexes of
 * lists. Undefined: the value stays
 * @param changeName gets the name of a member
 * @returns the same object when nothing changed
 */
export function changeJson(
  tree: JsonTree,
  change: (text: string, path: string) => string | undefined,
  changeName: (name: string) => string | undefined = () => undefined,
): JsonTree {
  const changed = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => changed(item, path));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (isTree(value)) {
      const before = Object.entries(value);
      const after = before.map(
        ([name, one]) =>
          [changeName(name) ?? name, changed(one, path === "" ? name : `${path}.${name}`)] as const,
      );
      const isSame = after.every(
        ([name, one], index) => name === before[index]?.[0] && one === before[index]?.[1],
      );
      return isSame ? value : Object.fromEntries(after);
    }
    if (value === null) {
      return value;
    }
    return change(json.isRawJSON(value) ? value.rawJSON : String(value), path) ?? value;
  };
  return changed(tree, "") as JsonTree;
}
