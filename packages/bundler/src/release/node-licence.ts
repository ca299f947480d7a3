import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The licences of Node and of everything built into it. They belong to every copy, and an executable holds
 * Node.
 * @param node path of the executable, by default the running one
 * @returns path of the licence file, which Node's archives and packages have above the folder of the program
 * @throws Error where a distribution left the file out
 */
export function nodeLicence(node = process.execPath): string {
  const folder = dirname(realpathSync(node));
  const found = [join(folder, "..", "LICENSE"), join(folder, "LICENSE")].find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(`no LICENSE of Node beside ${folder}: executables need Node as nodejs.org or npm has it`);
  }
  return found;
}
