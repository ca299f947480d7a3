import { isJsonArray, isJsonObject, type JsonValue, member } from "../json/json-value.ts";
import { arrayIndex, type ConfigTree, type TreePath, traversalError } from "./tree-path.ts";

/**
 * The value at a path. An absent last key reads as null.
 * @throws ServerError CONFIG_TRAVERSAL when the walk meets an absent key or a scalar before the last segment;
 *   CONFIG_INDEX for a bad index
 * Source: the public model, seen running: `GET /config/<path>`
 */
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
