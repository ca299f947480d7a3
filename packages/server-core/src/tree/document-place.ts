import { ServerError } from "../errors.ts";
import type { IdIndex } from "../json/id-index.ts";
import { percentDecode } from "../uri/percent-encoding.ts";
import { parseJsonPointer } from "./json-pointer.ts";
import { parseTreePath, type TreePath, treePathOf } from "./tree-path.ts";

/**
 * Place of an operation in the client's form. The engine resolves the place only at the operation's turn, because
 * earlier changes may move the object with an `@id`.
 */
export type DocumentPlace = PathPlace | IdPlace;

interface PathPlace {
  /** Path: `/config/…`, URL-decoded. */
  readonly path: string;
}

interface IdPlace {
  /** The `@id` that the address names, as in `/id/<id>/…`. */
  readonly id: string;
  /** Path segments below this object. */
  readonly below: readonly string[];
}

export const wholeDocument: DocumentPlace = { path: "/config/" };

/** Matches `/id/`, the id, and the path after it. */
const idPath = /^\/id\/([^/]*)(.*)$/s;

/**
 * Decodes a URL path, except that the id in `/id/<id>` keeps escapes of `/` and `%`: an id may contain a slash.
 * @returns undefined for a bad escape such as `%zz`. {@link parsePlace} parses the result
 */
export function decodeDocumentPath(rawPath: string): string | undefined {
  const [, rawId, rawRest = ""] = idPath.exec(rawPath) ?? [];
  if (rawId === undefined || !rawId.includes("%")) {
    return percentDecode(rawPath);
  }
  const [id, rest] = [percentDecode(rawId), percentDecode(rawRest)];
  return id === undefined || rest === undefined
    ? undefined
    : `/id/${id.replaceAll("%", "%25").replaceAll("/", "%2F")}${rest}`;
}

/**
 * Reads a path that {@link decodeDocumentPath} gave.
 * @throws ServerError ADMIN_REQUEST for `/id/` without an id
 */
export function parsePlace(path: string): DocumentPlace {
  const [, escapedId, rest = ""] = idPath.exec(path) ?? [];
  if (escapedId === undefined) {
    return { path };
  }
  if (escapedId === "") {
    throw new ServerError("ADMIN_REQUEST", "request path is missing object ID");
  }
  const id = escapedId.replaceAll("%2F", "/").replaceAll("%25", "%");
  return { id, below: rest.split("/").filter((segment) => segment !== "") };
}

/** True when the segments stay the same after they are joined to a path and split again. */
function canBeWritten(segments: readonly string[]): boolean {
  return segments.every((segment) => segment !== "" && !segment.includes("/"));
}

/**
 * Resolves a place to its path in the tree.
 * @param ids ids of the present document
 * @throws ServerError CONFIG_ID_UNKNOWN, CONFIG_TRAVERSAL
 */
export function locate(place: DocumentPlace, ids: IdIndex): TreePath {
  if ("path" in place) {
    return parseTreePath(place.path);
  }
  const { id, below } = place;
  const pointer = ids.get(id);
  if (pointer === undefined) {
    throw new ServerError("CONFIG_ID_UNKNOWN", `unknown object ID '${id}'`);
  }
  const segments = [...parseJsonPointer(pointer), ...below];
  const text = canBeWritten(segments)
    ? `/${segments.join("/")}`
    : `/id/${[encodeURIComponent(id), ...below].join("/")}`;
  return treePathOf(text, segments);
}
