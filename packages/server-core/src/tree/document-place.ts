import { ServerError } from "../errors.ts";
import type { IdIndex } from "../json/id-index.ts";
import { percentDecode } from "../uri/percent-encoding.ts";
import { parseJsonPointer } from "./json-pointer.ts";
import { parseTreePath, type TreePath, treePathOf } from "./tree-path.ts";

/**
 * Place of an operation, as its client named it. The engine resolves it when the operation has its turn:
 * earlier changes may move the object that an `@id` names.
 */
export type DocumentPlace = PathPlace | IdPlace;

interface PathPlace {
  /** `/config/…`, URL-decoded. */
  readonly path: string;
}

interface IdPlace {
  /** Value of `@id` that finds the object. */
  readonly id: string;
  /** Segments that lead on from the object with this `@id`. */
  readonly below: readonly string[];
}

/** The whole document. */
export const wholeDocument: DocumentPlace = { path: "/config/" };

/** `/id/`, the id, and what follows it. */
const idPath = /^\/id\/([^/]*)(.*)$/s;

/**
 * A URL path without its escapes, except that the id in `/id/<id>` keeps those of `/` and `%`: an id may have a slash.
 * @returns undefined for a bad escape such as `%zz`. {@link parsePlace} reads it
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

/** Whether the segments survive being joined to a path and split again. */
function canBeWritten(segments: readonly string[]): boolean {
  return segments.every((segment) => segment !== "" && !segment.includes("/"));
}

/**
 * The path in the tree of a document.
 * @param ids of that document
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
