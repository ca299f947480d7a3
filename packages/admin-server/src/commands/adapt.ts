import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adapterOption, configOption, environmentFileOption } from "./config-options.ts";

/**
 * `server adapt`. Exit codes: 0; 1 when the file cannot be read or adapted, or when `--validate` finds that it would
 * not run. The JSON is printed before it is validated, as in Caddy.
 */
export const adapt = defineCommand({
  name: "adapt",
  summary: "Print a configuration of any format as JSON",
  description: [
    "The JSON goes to standard output, its members sorted; what the adapter warns of goes to standard error. Nothing is run.",
  ],
  options: {
    config: configOption,
    adapter: adapterOption,
    pretty: { kind: "switch", short: "p", about: "One member a line" },
    validate: { kind: "switch", about: "Says too whether it would run; ports are not tried" },
    envfile: environmentFileOption,
  },
  examples: [
    { line: "server adapt --config Serverfile --pretty", about: "Shows what a Serverfile means." },
    { line: "server adapt --config - --adapter yaml < site.yaml", about: "Reads standard input." },
  ],
  async run({ config, adapter, pretty, validate }) {
    const { printWarnings, readConfig, requireConfigFile } = await import("../cli/read-config.ts");
    const file = requireConfigFile(config);
    const { json, warnings } = await readConfig(file, adapter);
    const text = pretty
      ? JSON.stringify(JSON.parse(Buffer.from(json).toString()), undefined, "\t")
      : Buffer.from(json).toString();
    process.stdout.write(`${text}\n`);
    printWarnings(file, warnings);
    if (validate) {
      const { validateConfig } = await import("../cli/validate-config.ts");
      await validateConfig(file, json);
    }
    return exitCodes.success;
  },
});
