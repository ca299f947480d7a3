import { join } from "node:path";
import { dataFolder } from "../history/data-folder.ts";

/**
 * The folder in which `server add-package` installs npm packages: `$XDG_DATA_HOME/server/packages`. Names of packages in a config are
 * looked up here when the working folder does not have them.
 */
export function packageFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(dataFolder(environment), "packages");
}
