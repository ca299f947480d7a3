import { defineCommand } from "../cli/command.ts";
import { adapterOption, configOption, environmentFileOption } from "./config-options.ts";
import { runOptions, runSettings } from "./run-options.ts";

/**
 * `server run`. Exit codes:
 *
 * - 0: stopped normally
 * - 1: could not start
 * - 2: forced to exit
 * - 3: error while stopping
 *
 * Source: Caddy 2.11, observed behavior
 */
export const run = defineCommand({
  name: "run",
  summary: "Start the server and stay in the foreground",
  description: [
    "Without a configuration, and without a Serverfile in the working folder, only the admin endpoint runs. A configuration that cannot run ends the command with exit code 1.",
    "--watch loads the configuration again when it or a file that it imports changes; one that does not run is logged, and the old one goes on. Meant for development: elsewhere reload says at once whether it worked.",
  ],
  options: {
    config: configOption,
    adapter: adapterOption,
    resume: {
      kind: "switch",
      short: "r",
      about: "Starts with the configuration that ran last, if one was saved; --config counts only without it",
    },
    watch: { kind: "switch", short: "w", about: "Loads the configuration again when it changes" },
    envfile: environmentFileOption,
    environ: { kind: "switch", short: "e", about: "Prints the environment first, as server environ does" },
    pidfile: {
      kind: "text",
      value: "file",
      completes: "file",
      about: "Writes the process id to this file, and removes it at the end",
    },
    pingback: {
      kind: "text",
      value: "address",
      about:
        "Connects to this address, host:port, once the server runs, and sends what SERVER_PINGBACK_TOKEN holds; server start does so",
    },
    ...runOptions,
  },
  examples: [
    { line: "server run", about: "Runs the Serverfile of the working folder." },
    { line: "server run --config site.json --watch", about: "Loads site.json again whenever it is changed." },
    { line: "server run --resume", about: "Goes on with what ran last." },
  ],
  async run(options) {
    if (options.environ) {
      const { environmentText } = await import("../cli/environment-text.ts");
      process.stdout.write(environmentText());
    }
    const { runFromConfig } = await import("../cli/run-from-config.ts");
    return runFromConfig({ ...options, ...runSettings(options) });
  },
});
