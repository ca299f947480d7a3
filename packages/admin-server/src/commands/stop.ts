import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adminOptions } from "./config-options.ts";

/**
 * `server stop`. Exit codes: 0 when the server has accepted the request, which is before it ends; 1 when no server
 * responds.
 */
export const stop = defineCommand({
  name: "stop",
  summary: "Ask a running server to stop",
  description: ["Asks through the admin API, which must be on. Requests under way are finished first."],
  options: adminOptions,
  examples: [
    { line: "server stop", about: "Stops the server whose admin endpoint is where it is by default." },
    { line: "server stop --address localhost:2020", about: "Stops another one." },
  ],
  async run({ address, config, adapter }) {
    const { askAdmin, findAdminAddress } = await import("../cli/ask-admin.ts");
    await askAdmin(await findAdminAddress(address, config, adapter), { method: "POST", path: "/stop" });
    return exitCodes.success;
  },
});
