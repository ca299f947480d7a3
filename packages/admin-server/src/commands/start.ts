import { exitCodes } from "lifecycle/stop-request";
import { defineCommand } from "../cli/command.ts";
import { adapterOption, configOption, environmentFileOption } from "./config-options.ts";

/**
 * `server start`. Exit codes: 0 when the server runs in the background; 1 when it ended before it ran. Source:
 * Caddy 2.11, observed behavior
 */
export const start = defineCommand({
  name: "start",
  summary: "Start the server in the background",
  description: [
    "Returns when the server runs, or when it could not start; its log goes to this terminal. A service manager does better than this command: let it use run.",
  ],
  options: {
    config: configOption,
    adapter: adapterOption,
    envfile: environmentFileOption,
    watch: { kind: "switch", short: "w", about: "Loads the configuration again when it changes" },
    resume: {
      kind: "switch",
      short: "r",
      about: "Starts with the configuration that ran last, if one was saved",
    },
    pidfile: {
      kind: "text",
      value: "file",
      completes: "file",
      about: "Writes the process id of the server to this file",
    },
  },
  examples: [
    { line: "server start --config site.json", about: "Starts it; server stop stops it again." },
    { line: "server start --watch --pidfile server.pid", about: "Keeps the process id for scripts." },
  ],
  async run(options) {
    const { startInBackground } = await import("../cli/start-in-background.ts");
    const texts = (["config", "adapter", "pidfile"] as const).flatMap((name) =>
      options[name] === "" ? [] : [`--${name}=${options[name]}`],
    );
    const switches = (["watch", "resume"] as const)
      .filter((name) => options[name])
      .map((name) => `--${name}`);
    // Variables of --envfile are already set, and the server inherits them.
    const pid = await startInBackground([...texts, ...switches], options.config === "-");
    process.stdout.write(`Successfully started the server (pid=${pid}): it runs in the background\n`);
    return exitCodes.success;
  },
});
