import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * The files of a built program, without hidden ones. Keys: paths within the folder, with slashes; values: full paths.
 * @param folder absolute
 */
export function programFiles(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(folder, path).split(sep).join("/"), path] as const)
    .filter(([name]) => !name.startsWith(".")); // V8's compiled code fits only this version of Node and this processor
  return new Map(files.sort());
}
