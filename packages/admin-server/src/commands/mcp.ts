import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adminOptions } from "./config-options.ts";

/**
 * `server mcp`. Exit codes: 0 when the assistant closes the input; 1 for an admin endpoint without host and port.
 * The assistant gets failures of single requests as protocol responses.
 */
export const mcp = defineCommand({
  name: "mcp",
  summary: "Let an assistant speak to a running server",
  description: [
    "Relays the Model Context Protocol from standard input to /mcp of the admin endpoint, for assistants that start a program. The running configuration must turn it on: admin.mcp.enabled.",
  ],
  options: adminOptions,
  examples: [
    {
      line: "server mcp",
      about: "Serves an assistant from the server whose admin endpoint is where it is by default.",
    },
    { line: "server mcp --address localhost:2020", about: "Serves it from another one." },
  ],
  async run({ address, config, adapter }) {
    const [{ findAdminAddress }, { relayStdio }, { parseAdminAddress }, { formatListenAddress }] =
      await Promise.all([
        import("../cli/ask-admin.ts"),
        import("assistant-tools/stdio-relay"),
        import("server-core/admin/admin-address"),
        import("server-core/listen/listen-address"),
      ]);
    const where = await findAdminAddress(address, config, adapter);
    const parsed = parseAdminAddress(where);
    if (parsed.network !== "tcp") {
      throw new StartError(`assistants are relayed to a host and port, and not to ${where}`);
    }
    const origin = `http://${formatListenAddress({ ...parsed, host: parsed.host || "localhost" })}`;
    await relayStdio({
      url: `${origin}/mcp`,
      headers: new Map([["origin", origin]]),
      input: process.stdin,
      output: process.stdout,
      warn: (line) => process.stderr.write(`${line}\n`),
    });
    return exitCodes.success;
  },
});
