import { lstatSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { compileGlob, isGlob } from "server-core/glob/path-glob";
import { pathBytes } from "./path-bytes.ts";

/** Maximum number of paths found by one pattern; further ones are left out. */
const maxFound = 10_000;

/** Names in a folder; empty for an unreadable folder. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** True when a path exists, including a symbolic link with a missing target. An unreadable path counts as missing. */
export function nameExists(path: string): boolean {
  try {
    return lstatSync(pathBytes(path), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** The literal name of a segment; undefined for a segment with wildcards. */
function plainName(segment: string): string | undefined {
  return isGlob(segment.replace(/\\./gs, "")) ? undefined : segment.replace(/\\(.)/gs, "$1");
}

/** Names of a folder that a segment of a pattern matches. */
function namesMatching(folder: string, segment: string): string[] {
  const plain = plainName(segment);
  if (plain !== undefined) {
    // A folder listing never contains these names.
    const isEntry = plain !== "" && plain !== "." && plain !== "..";
    return isEntry && nameExists(posix.join(folder, plain)) ? [plain] : [];
  }
  return namesIn(folder).filter(compileGlob(segment) ?? (() => false));
}

/**
 * Existing paths below a root that match a glob, sorted by name. Glob characters in the root are literal.
 * A pattern with a final slash finds nothing: no entry of a folder has an empty name.
 * @param pattern cleaned, without a leading slash
 * Source: Go, `filepath.Glob`
 */
export function expandGlob(root: string, pattern: string): string[] {
  if (compileGlob(pattern) === undefined) {
    return [];
  }
  let found = [root];
  for (const segment of pattern.split("/")) {
    found = found
      .flatMap((folder) => namesMatching(folder, segment).map((name) => posix.join(folder, name)))
      .slice(0, maxFound);
  }
  return found;
}
