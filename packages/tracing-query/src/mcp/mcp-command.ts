import { relayStdio } from "assistant-tools/stdio-relay";
import { type ProcessCommand, parseOptions } from "lifecycle";
import { z } from "zod";
import { headerLines } from "../header-lines.ts";

// Options of the command. The command opens no store: a running server answers.
const commandOptions = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .default("http://localhost:16686/mcp")
    .describe("Address of /mcp of a tracing-query that has --query.mcp.enabled."),
  header: headerLines().describe(
    'Header "Key: Value" of each request, such as a tenant; the option may be given several times.',
  ),
});

/**
 * `tracing-query mcp`: for assistants that start a program and use its standard input and output. The program relays
 * to a running server. So assistants see the same traces as people, and need no access to the store.
 */
export const mcpCommand: ProcessCommand = {
  name: "mcp",
  meaning: "Relay an assistant's Model Context Protocol from standard input to the /mcp of --url.",
  options: commandOptions,
  async run(args) {
    const { options } = parseOptions(commandOptions, { arguments: args, environment: {} });
    await relayStdio({
      url: options.url,
      headers: options.header,
      input: process.stdin,
      output: process.stdout,
      warn: (line) => process.stderr.write(`${line}\n`),
    });
    return 0;
  },
};
