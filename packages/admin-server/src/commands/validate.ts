import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adapterOption, configOption, environmentFileOption } from "./config-options.ts";

/** `server validate`. Exit codes: 0 if the config would run; otherwise 1, with the reason. */
export const validate = defineCommand({
  name: "validate",
  summary: "Say whether a configuration would run",
  description: [
    "Sets up all that it names, certificates and modules included, without running it. Ports are not tried.",
  ],
  options: { config: configOption, adapter: adapterOption, envfile: environmentFileOption },
  examples: [
    {
      line: "server validate --config site.json",
      about: "Exit code 0 when it would run, else 1 and the reason.",
    },
  ],
  async run({ config, adapter }) {
    const { printWarnings, readConfig, requireConfigFile } = await import("../cli/read-config.ts");
    const { validateConfig } = await import("../cli/validate-config.ts");
    const file = requireConfigFile(config);
    const { json, warnings } = await readConfig(file, adapter);
    printWarnings(file, warnings);
    await validateConfig(file, json);
    process.stdout.write("Valid configuration\n");
    return exitCodes.success;
  },
});
