import type { Logger } from "lifecycle";
import type { Server } from "../server.ts";
import { runServer, type ServerRun } from "./run-server.ts";

/**
 * Runs a configuration that a command built from its options, until the server is stopped.
 * Such a server has no admin endpoint, and its config is never saved.
 * @param command name of the command, for the log
 * @param running called once the server runs
 * @returns the exit code
 */
export function serveConfig(
  command: string,
  config: object,
  settings: Pick<ServerRun, "workers" | "logLevel" | "logEncoding">,
  running: (server: Server, log: Logger) => void,
): Promise<number> {
  return runServer({
    ...settings,
    load: (server) =>
      server.engine.load(Buffer.from(JSON.stringify(config)), { author: `server ${command}` }),
    async running(server, log) {
      running(server, log);
      return undefined;
    },
  });
}
