import { exitCodes } from "lifecycle/stop-request";
import { version } from "lifecycle/version";
import { defineCommand } from "../cli/command.ts";

/** `server version`. Exit code 0. No other code is loaded, so that scripts get a fast answer. */
export const versionCommand = defineCommand({
  name: "version",
  summary: "Print the version",
  options: {},
  examples: [
    { line: "server version", about: "Prints the version, and the commit where the build knows it." },
  ],
  async run() {
    process.stdout.write(`${version.gitVersion}${version.gitCommit && ` ${version.gitCommit}`}\n`);
    return exitCodes.success;
  },
});
