import { globSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { maxAdaptedBytes } from "server-core/adapters/config-adapter";
import { messageOf } from "server-core/errors";
import { readRegularFileSync } from "server-core/files/read-regular-file";
import type { TokenCursor } from "../lexer/token-cursor.ts";

export interface ImportedFile {
  /** Absolute path of the file. */
  readonly path: string;
  readonly text: string;
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}

/**
 * Reads a file, and removes its byte order mark. @throws ServerError CONFIG_ADAPTER for an unreadable file or a file
 * that is too large
 */
function readImported(cursor: TokenCursor, path: string): ImportedFile {
  let bytes: Buffer;
  try {
    bytes = readRegularFileSync(path, maxAdaptedBytes);
  } catch (error) {
    throw cursor.error(`Could not import ${path}: ${messageOf(error)}`, error);
  }
  return { path, text: bytes.toString("utf8").replace(/^\ufeff/, "") };
}

/**
 * The files of an import: one file, or all matches of a pattern, sorted by name. A pattern has at most one `*` and one
 * `?`. `import sites/*.serverfile` imports these files of a folder in the order of their names, except hidden files.
 * @param pattern relative to the file of the current token, or absolute
 * @param warn called for a pattern without matches
 * @throws ServerError CONFIG_ADAPTER for a missing, unreadable or too large file, and for a pattern with several
 * wildcards
 */
export function filesToImport(
  cursor: TokenCursor,
  pattern: string,
  warn: (message: string) => void,
): ImportedFile[] {
  const glob = isAbsolute(pattern) ? pattern : join(dirname(resolve(cursor.file)), pattern);
  if (count(glob, "*") > 1 || count(glob, "?") > 1 || (glob.includes("[") && glob.includes("]"))) {
    throw cursor.error(`Glob pattern may only contain one wildcard (*), but has others: ${glob}`);
  }
  if (!/[*?]/.test(glob)) {
    try {
      statSync(glob);
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
      throw cursor.error(
        missing
          ? `File to import not found: ${pattern}`
          : `Failed to import file ${pattern}: ${messageOf(error)}`,
        error,
      );
    }
    return [readImported(cursor, glob)];
  }
  const hidesDotFiles = basename(glob).startsWith("*");
  const matches = globSync(glob)
    .filter((path) => !(hidesDotFiles && basename(path).startsWith(".")))
    .sort();
  if (matches.length === 0) {
    warn(`No files matching import glob pattern: ${pattern}`);
  }
  return matches.map((path) => readImported(cursor, path));
}
