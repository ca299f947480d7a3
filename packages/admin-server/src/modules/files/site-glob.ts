import { readdirSync } from "node:fs";
import { posix } from "node:path";
import { compileGlob, isGlob } from "../../core/glob/path-glob.ts";

/** The most paths that one pattern finds; what is beyond is left out. */
const maxFound = 10_000;

function unescapeGlob(segment: string): string {
  return segment.replace(/\\(.)/gs, "$1");
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/**
 * Paths that match a glob below a root. Segments without wildcards are not looked up: the caller sees whether such a
 * path exists. The root is taken as it is.
 * @param pattern cleaned, beginning with a slash; a final slash stays
 * @returns in the order of names
 */
export function expandGlob(root: string, pattern: string): string[] {
  if (!isGlob(pattern)) {
    return [posix.join(root, pattern)];
  }
  let found = [root];
  for (const segment of pattern.split("/").slice(1)) {
    const bare = unescapeGlob(segment);
    if (segment === "" || !isGlob(segment) || !isGlob(segment.replace(/\\./gs, ""))) {
      found = found.map((path) => `${path === "/" ? "" : path}/${bare}`);
      continue;
    }
    const matches = compileGlob(segment) ?? (() => false);
    found = found
      .flatMap((path) =>
        namesIn(path)
          .filter(matches)
          .map((name) => `${path === "/" ? "" : path}/${name}`),
      )
      .slice(0, maxFound);
  }
  return found;
}
