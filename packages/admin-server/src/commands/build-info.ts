import { exitCodes } from "lifecycle/stop-request";
import { version } from "lifecycle/version";
import { defineCommand } from "../cli/command.ts";

/**
 * `server build-info`. Exit code 0. Only libraries with a fixed version are listed, because a range does not identify
 * the running version.
 */
export const buildInfo = defineCommand({
  name: "build-info",
  summary: "Print what this server was built from",
  description: [
    "The version, commit and date where the build knows them, the runtime, and the libraries whose versions this package fixes itself.",
  ],
  options: {},
  examples: [{ line: "server build-info | grep re2js", about: "Says which version of a library runs." }],
  async run() {
    const manifests = await Promise.all([
      import("../../package.json", { with: { type: "json" } }),
      import("certificates/package.json", { with: { type: "json" } }),
      import("http-engine/package.json", { with: { type: "json" } }),
      import("server-core/package.json", { with: { type: "json" } }),
      import("server-modules/package.json", { with: { type: "json" } }),
    ]);
    const dependencies = Object.assign(
      {},
      ...manifests.map((manifest) => manifest.default.dependencies),
    ) as Record<string, string>;
    const lines = [
      ["version", version.gitVersion],
      ["commit", version.gitCommit],
      ["date", version.buildDate],
      ["runtime", `node ${process.version}`],
      ["engine", `v8 ${process.versions.v8}`],
      ["platform", `${process.platform} ${process.arch}`],
      ...Object.entries(dependencies)
        .filter(([, range]) => /^\d/.test(range))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, range]) => ["dep", `${name} ${range}`]),
    ];
    process.stdout.write(
      lines
        .filter(([, value]) => value !== "")
        .map(([name, value]) => `${name}\t${value}\n`)
        .join(""),
    );
    return exitCodes.success;
  },
});
