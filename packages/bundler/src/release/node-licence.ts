import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The texts of the licences of Node and of all that is built into it, which belong to every copy: an executable holds Node.
 * @param node path of the executable, by default the one that runs this
 * @returns path of the file that each of Node's own archives and packages has above the folder of the program
 * @throws Error where a distribution left it out
 */
export function nodeLicence(node = process.execPath): string {
  const folder = dirname(realpathSync(node));
  const found = [join(folder, "..", "LICENSE"), join(folder, "LICENSE")].find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(`no LICENSE of Node beside ${folder}: executables need Node as nodejs.org or npm has it`);
  }
  return found;
}
