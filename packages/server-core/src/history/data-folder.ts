import { join } from "node:path";

/** Folder of the server's data: `$XDG_DATA_HOME/server`, otherwise `$HOME/.local/share/server`. */
export function dataFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment.XDG_DATA_HOME || join(environment.HOME || ".", ".local", "share"), "server");
}
