import { ServerError } from "../errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, member } from "../json/json-value.ts";
import { arrayIndex, type ConfigTree, type TreePath, traversalError } from "./tree-path.ts";

export type ChangeMethod = "POST" | "PUT" | "PATCH" | "DELETE";

export interface TreeChange {
  /**
   * PUT creates a value, or inserts an element. POST sets a value, or appends to a list. PATCH replaces an existing
   * value. DELETE removes a value.
   */
  readonly method: ChangeMethod;
  readonly path: TreePath;
  /** The body; null when absent or for DELETE. */
  readonly value: JsonValue;
  /**
   * True when, by its schema, the config at these segments is an array. It is needed for a place without a value, so
   * that a request can append to an absent array. Caddy creates an object there, which it then refuses.
   */
  readonly wantsArray: (segments: readonly string[]) => boolean;
}

/** Marks a key or element to remove. */
const removed = Symbol("removed");

function append(array: readonly JsonValue[], change: TreeChange): readonly JsonValue[] {
  if (!change.path.spread) {
    return [...array, change.value];
  }
  if (!isJsonArray(change.value)) {
    throw new ServerError("CONFIG_NOT_ARRAY", "final element is not an array");
  }
  return [...array, ...change.value];
}

/** POST to a key: appends to an array, otherwise creates or replaces. */
function post(existing: JsonValue | undefined, change: TreeChange): JsonValue {
  if (isJsonArray(existing)) {
    return append(existing, change);
  }
  const absent = existing === undefined || existing === null;
  if (absent && (change.path.spread || !isJsonArray(change.value)) && change.value !== null) {
    if (change.wantsArray(change.path.segments)) {
      return append([], change);
    }
  }
  if (change.path.spread) {
    throw new ServerError("CONFIG_NOT_ARRAY", `[${change.path.text}] the path before /... is not an array`);
  }
  return change.value;
}

function changeKey(object: JsonObject, key: string, change: TreeChange): JsonValue | typeof removed {
  const existing = member(object, key);
  switch (change.method) {
    case "POST":
      return post(existing, change);
    case "PUT":
      if (existing !== undefined) {
        throw new ServerError("CONFIG_KEY_EXISTS", `[${change.path.text}] key already exists: ${key}`);
      }
      return change.value;
    case "PATCH":
    case "DELETE":
      if (existing === undefined) {
        throw new ServerError("CONFIG_KEY_MISSING", `[${change.path.text}] key does not exist: ${key}`);
      }
      return change.method === "PATCH" ? change.value : removed;
  }
}

function changeElement(array: readonly JsonValue[], change: TreeChange): readonly JsonValue[] {
  if (change.method === "POST") {
    return append(array, change); // POST to an element appends to its array; the index is ignored
  }
  const position = change.path.segments.length - 1;
  const index = arrayIndex(change.path, position, change.method === "PUT" ? array.length : array.length - 1);
  switch (change.method) {
    case "PUT":
      return array.toSpliced(index, 0, change.value);
    case "PATCH":
      return array.with(index, change.value);
    case "DELETE":
      return array.toSpliced(index, 1);
  }
}

function walk(node: JsonValue, position: number, change: TreeChange): JsonValue {
  const { segments } = change.path;
  const segment = segments[position] ?? "";
  const isLast = position === segments.length - 1;
  if (isJsonArray(node)) {
    if (isLast) {
      return changeElement(node, change);
    }
    const index = arrayIndex(change.path, position, node.length - 1);
    return node.with(index, walk(node[index] ?? null, position + 1, change));
  }
  if (!isJsonObject(node)) {
    throw traversalError(change.path, position);
  }
  if (isLast) {
    const value = changeKey(node, segment, change);
    if (value !== removed) {
      return { ...node, [segment]: value };
    }
    return Object.fromEntries(Object.entries(node).filter(([key]) => key !== segment));
  }
  let child = member(node, segment) ?? null;
  if (child === null && change.method === "PUT") {
    child = change.wantsArray(segments.slice(0, position + 1)) ? [] : {};
  }
  return { ...node, [segment]: walk(child, position + 1, change) };
}

/**
 * Returns the tree after a change. Nothing changes in place, and untouched parts are shared with the old tree. So the
 * old tree can be restored, and unchanged parts are recognized by their identity.
 * @throws ServerError CONFIG_TRAVERSAL, CONFIG_INDEX, CONFIG_KEY_EXISTS, CONFIG_KEY_MISSING, CONFIG_NOT_ARRAY
 *   Source: Caddy, seen running: POST, PUT, PATCH and DELETE
 */
export function changeAt(tree: ConfigTree, change: TreeChange): ConfigTree {
  if (change.path.segments[0] !== "config") {
    throw traversalError(change.path, 0);
  }
  if (change.path.segments.length === 1) {
    if (change.method === "DELETE") {
      return { config: null };
    }
    if (change.method === "PUT" && tree.config === null) {
      return { config: change.value }; // no config is loaded, so no key is in the way
    }
  }
  return walk(tree, 0, change) as unknown as ConfigTree;
}
