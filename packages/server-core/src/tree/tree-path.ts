import { ServerError } from "../errors.ts";
import { maxJsonDepth } from "../json/encode-json.ts";
import type { JsonValue } from "../json/json-value.ts";

/** The place in the tree to which a request points: `/config/apps/http` → segments `config`, `apps`, `http`. */
export interface TreePath {
  /** The path as the client wrote it, after URL decoding; messages quote it. */
  readonly text: string;
  /** At least one segment. The first segment is `config`, the name of the whole document. */
  readonly segments: readonly string[];
  /** True when the path ended with `/...`: the elements of the body are appended one by one. */
  readonly spread: boolean;
}

/** The tree as paths see it: the document is the member `config` of an outer object. */
export interface ConfigTree {
  /** The document; `config` is the first segment of its paths. */
  readonly config: JsonValue;
  readonly [key: string]: JsonValue;
}

/** Maximum number of segments of a path; no document is deeper. */
const maxSegments = maxJsonDepth + 1;

function trimSlashes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text[start] === "/") {
    start++;
  }
  while (end > start && text[end - 1] === "/") {
    end--;
  }
  return text.slice(start, end);
}

/**
 * Splits a path at its slashes; slashes at both ends are ignored. A key that contains `/` cannot be addressed by a
 * path.
 * @throws ServerError CONFIG_TRAVERSAL for a path without any segment; as {@link treePathOf}
 */
export function parseTreePath(text: string): TreePath {
  const trimmed = trimSlashes(text);
  if (trimmed === "") {
    throw new ServerError("CONFIG_TRAVERSAL", "no traversable path");
  }
  return treePathOf(text, trimmed.split("/"));
}

/**
 * The path with these segments; `...` as the last of several segments spreads the body.
 * @param text quoted in messages
 * @throws ServerError CONFIG_TRAVERSAL for more segments than a document is deep
 */
export function treePathOf(text: string, segments: readonly string[]): TreePath {
  if (segments.length > maxSegments) {
    throw new ServerError("CONFIG_TRAVERSAL", `a path of ${segments.length} segments, limit ${maxSegments}`);
  }
  const spread = segments.length > 1 && segments.at(-1) === "...";
  return { text, segments: spread ? segments.slice(0, -1) : segments, spread };
}

/** Error for a walk that ended before segment `index`. */
export function traversalError(path: TreePath, index: number): ServerError {
  return new ServerError(
    "CONFIG_TRAVERSAL",
    `invalid traversal path at: ${path.segments.slice(0, index + 1).join("/")}`,
  );
}

/**
 * Reads segment `position` of `path` as an array index: canonical decimal, 0 to `limit`.
 * @param limit the highest index allowed; -1 allows none
 * @throws ServerError CONFIG_INDEX
 */
export function arrayIndex(path: TreePath, position: number, limit: number): number {
  const text = path.segments[position] ?? "";
  const where =
    position === path.segments.length - 1 ? path.text : `/${path.segments.slice(0, position + 1).join("/")}`;
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) {
    const why = /^[+-]?\d+$/.test(text)
      ? "non-canonical array index"
      : `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`; // Caddy's wording
    throw new ServerError("CONFIG_INDEX", `[${where}] invalid array index '${text}': ${why}`);
  }
  const index = Number(text);
  if (index < 0 || index > limit) {
    throw new ServerError("CONFIG_INDEX", `[${where}] array index out of bounds: ${text}`);
  }
  return index;
}
