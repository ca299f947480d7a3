import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { keepBackupOption } from "./package-options.ts";

/**
 * `server remove-package`. Exit codes: 0; 1 when no package was removed. Source: Caddy 2.11, by its
 * help
 */
export const removePackage = defineCommand({
  name: "remove-package",
  summary: "Remove packages that add-package installed",
  description: [
    "A server that runs keeps the modules that it has loaded. A configuration that still names the package is refused afterwards.",
  ],
  options: { "keep-backup": keepBackupOption },
  operands: { usage: "<package...>", most: 100 },
  examples: [{ line: "server remove-package my-handlers", about: "Removes one package." }],
  async run(options, names) {
    if (names.length === 0) {
      throw new StartError("remove-package: name a package");
    }
    const { ModulePackages } = await import("../cli/module-packages.ts");
    await new ModulePackages().remove(names, options["keep-backup"]);
    return exitCodes.success;
  },
});
