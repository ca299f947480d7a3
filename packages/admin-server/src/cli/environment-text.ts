import { availableParallelism, homedir } from "node:os";
import { dirname } from "node:path";
import { version } from "lifecycle/version";
import { autosavePath } from "server-core/engine/autosave";
import { dataFolder } from "server-core/history/data-folder";

/**
 * The server's environment as text: folders, version, platform, and all variables. `server environ` prints this text.
 * As in Caddy, it shows all variables, including secrets. Source: Caddy 2.11
 */
export function environmentText(): string {
  const { env } = process;
  const found = [
    ["server.HomeDir", env.HOME || homedir()],
    ["server.AppDataDir", dataFolder(env)],
    ["server.AppConfigDir", dirname(autosavePath(env))],
    ["server.ConfigAutosavePath", autosavePath(env)],
    ["server.Version", version.gitVersion],
    ["runtime.OS", process.platform],
    ["runtime.Arch", process.arch],
    ["runtime.NumCPU", availableParallelism()],
    ["runtime.Version", `node ${process.version}`],
    ["os.Getwd", process.cwd()],
  ].map(([name, value]) => `${name}=${value}\n`);
  return `${found.join("")}\n${Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("")}`;
}
