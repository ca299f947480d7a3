/** Parts of a path that are removed: an empty segment, `.` or `..`. */
const unclean = /\/\.{0,2}(?:\/|$)/;

/**
 * Resolves `.` and `..` segments, and merges slashes. `..` stops at the root; a final slash stays.
 * @param mergeSlashes false keeps empty segments; a following `..` removes an empty segment like any other segment
 * Source: Caddy 2.11, `CleanPath`; Go, `path.Clean`
 */
export function cleanPath(path: string, mergeSlashes = true): string {
  if (!unclean.test(path)) {
    return path === "" ? "/" : path;
  }
  const kept: string[] = [];
  const segments = path.split("/").slice(path.startsWith("/") ? 1 : 0);
  const last = segments.pop();
  for (const segment of segments) {
    if (segment === "..") {
      kept.pop();
    } else if (segment !== "." && (segment !== "" || !mergeSlashes)) {
      kept.push(segment);
    }
  }
  if (last === "..") {
    kept.pop();
  } else if (last !== "." && last !== "") {
    kept.push(last as string);
  }
  const isFolder = last === "" && kept.length > 0;
  return `/${kept.join("/")}${isFolder ? "/" : ""}`;
}

/** True when `..` segments of a path lead above its start. */
export function leavesRoot(path: string): boolean {
  if (!path.includes("..")) {
    return false;
  }
  let depth = 0;
  for (const segment of path.split("/")) {
    depth += segment === ".." ? -1 : segment === "." || segment === "" ? 0 : 1;
    if (depth < 0) {
      return true;
    }
  }
  return false;
}
