import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * The licences of Node and of everything built into Node. Every copy must include them, and an executable contains
 * Node.
 * @param node path of the executable, by default the running one
 * @returns path of the licence file, which Node's archives and packages have in the folder above the program's folder
 * @throws Error when the Node distribution lacks the file
 */
export function nodeLicence(node = process.execPath): string {
  const folder = dirname(realpathSync(node));
  const found = [join(folder, "..", "LICENSE"), join(folder, "LICENSE")].find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(`no LICENSE of Node beside ${folder}: executables need Node as nodejs.org or npm has it`);
  }
  return found;
}
