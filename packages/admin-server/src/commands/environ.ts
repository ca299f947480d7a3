import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { environmentFileOption } from "./config-options.ts";

/** `server environ`. Exit code 0; 1 when `--envfile` cannot be read. */
export const environ = defineCommand({
  name: "environ",
  summary: "Print the environment as the server sees it",
  description: [
    "First the folders that it uses, its version and platform, then every variable. A service manager may give the server another environment than your shell has: server run --environ prints that. It may hold secrets.",
  ],
  options: { envfile: environmentFileOption },
  examples: [{ line: "server environ --envfile .env", about: "Shows what the server would find with .env." }],
  async run() {
    const { environmentText } = await import("../cli/environment-text.ts");
    process.stdout.write(environmentText());
    return exitCodes.success;
  },
});
