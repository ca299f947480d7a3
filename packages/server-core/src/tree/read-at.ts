import { isJsonArray, isJsonObject, type JsonValue, member } from "../json/json-value.ts";
import { arrayIndex, type ConfigTree, type TreePath, traversalError } from "./tree-path.ts";

/** The value at a path. A missing last key is read as null. */
export function readAt(tree: ConfigTree, path: TreePath): JsonValue {
  let current: JsonValue = tree;
  for (const [index, segment] of path.segments.entries()) {
    if (isJsonObject(current)) {
      current = member(current, segment) ?? null;
    } else if (isJsonArray(current)) {
      current = current[arrayIndex(path, index, current.length - 1)] ?? null;
    } else {
      throw traversalError(path, index);
    }
  }
  return current;
}
