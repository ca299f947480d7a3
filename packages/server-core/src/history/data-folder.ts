import { join } from "node:path";

/** Where the server keeps what is its own: `$XDG_DATA_HOME/server`, else `$HOME/.local/share/server`. */
export function dataFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return join(environment.XDG_DATA_HOME || join(environment.HOME || ".", ".local", "share"), "server");
}
