import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Every file of a built program: its path within the folder, with slashes, to its path. @param folder absolute */
export function programFiles(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [relative(folder, path).split(sep).join("/"), path] as const)
    .filter(([name]) => !name.startsWith(".")); // what V8 compiled here is of no use elsewhere
  return new Map(files.sort());
}
