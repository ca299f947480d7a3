import { exitCodes } from "lifecycle/stop-request";
import { version } from "lifecycle/version";
import { defineCommand } from "../cli/command.ts";
import { adapterOption } from "./config-options.ts";

/** Package name of the server's own modules. */
const packageName = "admin-server";

/**
 * `server list-modules`. Exit codes: 0; 1 when the config or one of its modules cannot be read.
 * Source: Caddy 2.11, observed behavior
 */
export const listModules = defineCommand({
  name: "list-modules",
  summary: "List the modules that configurations can name",
  description: [
    "Includes the packages that add-package installed. With --config also your own modules, which that configuration names under modules.",
  ],
  options: {
    packages: { kind: "switch", about: "Prints the package of each, or its file" },
    versions: { kind: "switch", about: "Prints the version of each" },
    "skip-standard": { kind: "switch", short: "s", about: "Leaves out those that come with the server" },
    json: { kind: "switch", about: "Prints JSON" },
    config: {
      kind: "text",
      short: "c",
      value: "file",
      completes: "file",
      about: "Configuration whose own modules are listed",
    },
    adapter: adapterOption,
  },
  examples: [
    { line: "server list-modules", about: "All ids, sorted." },
    {
      line: "server list-modules --skip-standard --packages --config site.json",
      about: "Your own, and where they come from.",
    },
  ],
  async run(options) {
    const { findModules } = await import("../cli/find-modules.ts");
    const found = await findModules(options.config, options.adapter);
    const shown = found.filter(({ isStandard }) => !(isStandard && options["skip-standard"]));
    if (options.json) {
      const list = shown.map(({ id, isStandard, source, version: own }) => ({
        module_name: id,
        module_type: isStandard ? "standard" : "non-standard",
        ...(isStandard ? { version: version.gitVersion } : own === undefined ? {} : { version: own }),
        package_url: isStandard ? packageName : source,
      }));
      process.stdout.write(`${JSON.stringify(list, undefined, 2)}\n`);
      return exitCodes.success;
    }
    const text = (isStandard: boolean, title: string): string => {
      const lines = shown
        .filter((each) => each.isStandard === isStandard)
        .map(({ id, source, version: own }) => {
          const shownVersion = isStandard ? version.gitVersion : (own ?? "");
          const of = options.versions && shownVersion !== "" ? ` ${shownVersion}` : "";
          return `${id}${of}${options.packages ? ` ${isStandard ? packageName : source}` : ""}\n`;
        });
      return `${lines.join("")}\n  ${title} modules: ${lines.length}\n`;
    };
    const own = shown.some(({ isStandard }) => !isStandard);
    const parts = [
      ...(options["skip-standard"] ? [] : [text(true, "Standard")]),
      ...(own ? [text(false, "Non-standard")] : []),
    ];
    process.stdout.write(parts.join("\n"));
    return exitCodes.success;
  },
});
