import { join } from "node:path";
import { dataFolder } from "../history/data-folder.ts";

/**
 * The folder in which `server add-package` installs npm packages: `$XDG_DATA_HOME/server/packages`. A package that a
 * config names is looked up in this folder when the working folder does not have the package.
 */
export function packageFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(dataFolder(environment), "packages");
}
