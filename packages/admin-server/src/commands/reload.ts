import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adapterOption, adminOptions, configOption } from "./config-options.ts";

/**
 * `server reload`. Exit codes: 0 when the config runs, even if it has not changed; 1 when it cannot be read, no server
 * responds, or the server refuses it. After a refusal the old config continues.
 */
export const reload = defineCommand({
  name: "reload",
  summary: "Give a running server another configuration",
  description: [
    "The same as POST /load of the admin API: no request is lost, and when the configuration does not run, the old one goes on and the reason is printed. The file is read here, not by the server.",
  ],
  options: {
    config: configOption,
    adapter: adapterOption,
    address: {
      ...adminOptions.address,
      defaultText: "that of the configuration, else $SERVER_ADMIN, else localhost:2019",
    },
    force: {
      kind: "switch",
      short: "f",
      about: "Loads it also when nothing changed, for instance to read certificates again",
    },
  },
  examples: [
    { line: "server reload", about: "Loads the Serverfile of the working folder." },
    { line: "server reload --config site.yaml --force", about: "Loads site.yaml, changed or not." },
  ],
  async run({ config, adapter, address, force }) {
    const { printWarnings, readConfig, requireConfigFile } = await import("../cli/read-config.ts");
    const { adminAddressIn, askAdmin, findAdminAddress } = await import("../cli/ask-admin.ts");
    const file = requireConfigFile(config);
    const { json, format, warnings } = await readConfig(file, adapter);
    printWarnings(file, warnings);
    const where = address || adminAddressIn(json) || (await findAdminAddress("", "", ""));
    await askAdmin(where, {
      method: "POST",
      path: "/load",
      headers: {
        "Content-Type": "application/json",
        "Server-Config-Source-File": file,
        "Server-Config-Source-Adapter": format,
        ...(force ? { "Cache-Control": "must-revalidate" } : {}),
      },
      body: json,
    });
    return exitCodes.success;
  },
});
