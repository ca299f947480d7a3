import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { keepBackupOption } from "./package-options.ts";

/**
 * `server upgrade`. Exit codes: 0, also when no version was newer; 1 when the upgrade failed, which changes no package.
 * Source: Caddy 2.11, by its help
 */
export const upgrade = defineCommand({
  name: "upgrade",
  summary: "Install the latest versions of the packages that add-package installed",
  description: [
    "The server itself is upgraded the way it was installed. A server that runs gets the new versions with its next start.",
  ],
  options: { "keep-backup": keepBackupOption },
  examples: [{ line: "server upgrade --keep-backup", about: "Keeps the versions of before." }],
  async run(options) {
    const { ModulePackages } = await import("../cli/module-packages.ts");
    for (const { name, version } of await new ModulePackages().upgrade(options["keep-backup"])) {
      process.stdout.write(`${name} ${version}\n`);
    }
    return exitCodes.success;
  },
});
