import { StartError } from "lifecycle/errors";
import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { keepBackupOption } from "./package-options.ts";

/**
 * `server add-package`. Exit codes: 0; 1 when no package was added. Source: Caddy 2.11, by its help
 */
export const addPackage = defineCommand({
  name: "add-package",
  summary: "Install npm packages with modules for this server",
  description: [
    "The server itself stays as it is: packages lie in its data folder, with exact versions and a lockfile. A configuration uses one when it names it under modules. Install scripts do not run. Nothing changes when one of the packages cannot be had, is there already, or has no modules.",
  ],
  options: { "keep-backup": keepBackupOption },
  operands: { usage: "<package[@version]...>", most: 100 },
  examples: [
    { line: "server add-package my-handlers", about: "The latest version." },
    {
      line: "server add-package @me/greet@1.2.0 ./own",
      about: "A fixed version, and a package of a folder.",
    },
  ],
  async run(options, specs) {
    if (specs.length === 0) {
      throw new StartError("add-package: name a package");
    }
    const { ModulePackages } = await import("../cli/module-packages.ts");
    for (const { name, version, ids } of await new ModulePackages().add(specs, options["keep-backup"])) {
      process.stdout.write(`${name} ${version}: ${ids.join(", ")}\n`);
      process.stdout.write(
        `  JSON: "modules": [${JSON.stringify(name)}]   serverfile: { modules ${name} }\n`,
      );
    }
    return exitCodes.success;
  },
});
