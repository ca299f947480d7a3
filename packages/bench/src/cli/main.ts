import { agentCommand } from "./agent-command.ts";
import { UsageError } from "./arguments.ts";
import { bareCommand } from "./bare-command.ts";
import { growthCommand } from "./growth-command.ts";
import { ingestCommand } from "./ingest-command.ts";
import { microCommand } from "./micro-command.ts";
import { proxyCommand } from "./proxy-command.ts";
import { queryCommand } from "./query-command.ts";
import { serverCommand } from "./server-command.ts";
import { soakCommand } from "./soak-command.ts";
import { storeCommand } from "./store-command.ts";
import { suiteCommand } from "./suite-command.ts";
import { tunnelsCommand } from "./tunnels-command.ts";
import { uiCommand } from "./ui-command.ts";

const commands = {
  suite: suiteCommand,
  ingest: ingestCommand,
  bare: bareCommand,
  micro: microCommand,
  agent: agentCommand,
  store: storeCommand,
  growth: growthCommand,
  query: queryCommand,
  server: serverCommand,
  proxy: proxyCommand,
  tunnels: tunnelsCommand,
  soak: soakCommand,
  ui: uiCommand,
} as const;

/**
 * Runs the command line.
 * @param argv without node and program
 * @returns the exit code: 0; 1 when something failed or spans were lost; 2 for a wrong command line
 */
export async function main(argv: readonly string[]): Promise<number> {
  const stop = new AbortController();
  // The first Ctrl-C ends the load and prints what was measured; the second one ends at once.
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  const [name = "", ...rest] = argv;
  try {
    if (name === "" || name.startsWith("-")) return await suiteCommand(argv, stop.signal);
    const command = Object.entries(commands).find(([known]) => known === name)?.[1];
    if (command === undefined) {
      throw new UsageError(`"${name}" is not a command: ${Object.keys(commands).join(", ")}`);
    }
    return await command(rest, stop.signal);
  } catch (error) {
    process.stderr.write(`bench: ${messageOf(error)}\n`);
    if (!(error instanceof UsageError)) return 1;
    process.stderr.write("bench --help explains the options\n");
    return 2;
  }
}

/** The message with those of its causes. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${messageOf(error.cause)}`;
}
