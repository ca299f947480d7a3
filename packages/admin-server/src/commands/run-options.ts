import { logLevels } from "lifecycle/log-levels";
import type { OptionDefinition } from "../cli/command.ts";
import type { ServerRun } from "../cli/run-server.ts";

/** The option `-v` of commands that build their config themselves. */
export const debugOption = {
  kind: "switch",
  short: "v",
  about: "Logs more",
} as const satisfies OptionDefinition;

/** Options of every command that serves. */
export const runOptions = {
  workers: {
    kind: "number",
    value: "number",
    range: [0, 256],
    environment: "SERVER_WORKERS",
    about: "Threads that serve traffic, each with all sites; 0 is none but the main one",
    defaultText: "as traffic asks, up to one for each core, where threads can share a port; else 0",
  },
  "log-level": {
    kind: "text",
    value: "level",
    choices: logLevels,
    default: "info",
    environment: "LOG_LEVEL",
    about: "Least severe lines that are logged",
  },
  "log-encoding": {
    kind: "text",
    value: "form",
    choices: ["auto", "json", "console"],
    default: "auto",
    environment: "LOG_ENCODING",
    about: "Form of log lines; auto is console on a terminal, else json",
  },
} as const satisfies Readonly<Record<string, OptionDefinition>>;

/** Values of the options above. */
interface RunOptionValues {
  readonly workers: number | undefined;
  readonly "log-level": string;
  readonly "log-encoding": string;
  readonly debug?: boolean;
}

/** Converts the values of these options to settings for `runServer`. */
export function runSettings(
  options: RunOptionValues,
): Pick<ServerRun, "workers" | "logLevel" | "logEncoding"> {
  return {
    workers: options.workers,
    logLevel: options.debug === true ? "debug" : (options["log-level"] as ServerRun["logLevel"]),
    logEncoding: options["log-encoding"] as ServerRun["logEncoding"],
  };
}
