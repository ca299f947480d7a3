import { UsageError } from "./arguments.ts";

/** Each command is loaded when it runs, because all commands together load every program that they measure. */
const commands = {
  suite: async () => (await import("./suite-command.ts")).suiteCommand,
  ingest: async () => (await import("./ingest-command.ts")).ingestCommand,
  bare: async () => (await import("./bare-command.ts")).bareCommand,
  micro: async () => (await import("./micro-command.ts")).microCommand,
  agent: async () => (await import("./agent-command.ts")).agentCommand,
  store: async () => (await import("./store-command.ts")).storeCommand,
  growth: async () => (await import("./growth-command.ts")).growthCommand,
  copies: async () => (await import("./copies-command.ts")).copiesCommand,
  query: async () => (await import("./query-command.ts")).queryCommand,
  server: async () => (await import("./server-command.ts")).serverCommand,
  proxy: async () => (await import("./proxy-command.ts")).proxyCommand,
  tunnels: async () => (await import("./tunnels-command.ts")).tunnelsCommand,
  live: async () => (await import("./live-command.ts")).liveCommand,
  soak: async () => (await import("./soak-command.ts")).soakCommand,
  ui: async () => (await import("./ui-command.ts")).uiCommand,
};

/**
 * Runs the command line.
 * @param argv arguments without node and program
 * @returns the exit code: 0; 1 when a command failed or spans were lost; 2 for a wrong command line
 */
export async function main(argv: readonly string[]): Promise<number> {
  const stop = new AbortController();
  // The first Ctrl-C ends the load and prints the results so far; the second one ends the process immediately.
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  const [name = "", ...rest] = argv;
  try {
    if (name === "" || name.startsWith("-")) {
      return await (await commands.suite())(argv, stop.signal);
    }
    const command = Object.entries(commands).find(([known]) => known === name)?.[1];
    if (command === undefined) {
      throw new UsageError(`"${name}" is not a command: ${Object.keys(commands).join(", ")}`);
    }
    return await (await command())(rest, stop.signal);
  } catch (error) {
    process.stderr.write(`bench: ${messageOf(error)}\n`);
    if (!(error instanceof UsageError)) {
      return 1;
    }
    process.stderr.write("bench --help explains the options\n");
    return 2;
  }
}

/** The message of an error, followed by the messages of its causes. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause === undefined ? error.message : `${error.message}: ${messageOf(error.cause)}`;
}
