import { exitCodes } from "lifecycle/stop-request";
import { version } from "lifecycle/version";
import { defineCommand } from "../cli/command.ts";

export const buildInfo = defineCommand({
  name: "build-info",
  summary: "Print what this server was built from",
  description: [
    "The version, commit and date where the build knows them, the runtime, and the libraries whose versions this package fixes itself.",
  ],
  options: {},
  examples: [{ line: "server build-info | grep re2js", about: "Says which version of a library runs." }],
  async run() {
    const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
    const lines = [
      ["version", version.gitVersion],
      ["commit", version.gitCommit],
      ["date", version.buildDate],
      ["runtime", `node ${process.version}`],
      ["engine", `v8 ${process.versions.v8}`],
      ["platform", `${process.platform} ${process.arch}`],
      ...Object.entries(manifest.dependencies)
        .filter(([, range]) => /^\d/.test(range))
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
