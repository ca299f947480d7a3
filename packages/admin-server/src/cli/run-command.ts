import {
  createLogger,
  createMetrics,
  exitCodes,
  type Logger,
  logLevels,
  parseOptions,
  StopRequest,
  version,
} from "lifecycle";
import { z } from "zod";
import { errorWithin, messageOf, ServerError } from "../core/errors.ts";
import { Server } from "../server.ts";
import { defaultWorkers, maxWorkers } from "../worker/open-threads.ts";
import { readConfig } from "./read-config.ts";

const runOptions = z.object({
  config: z.string().default(""),
  adapter: z.string().default(""),
  resume: z.boolean().default(false),
  environ: z.boolean().default(false),
  "log-level": z.enum(logLevels).default("info"),
  "log-encoding": z.enum(["auto", "json", "console"]).default("auto"),
  workers: z.coerce.number().int().min(0).max(maxWorkers).default(defaultWorkers()),
});

/** Whether log lines are for people; workers cannot see for themselves that there is a terminal. */
function usesConsole(encoding: "auto" | "json" | "console"): boolean {
  return encoding === "console" || (encoding === "auto" && process.stderr.isTTY === true);
}

type RunOptions = z.infer<typeof runOptions>;

/** @throws StartError, ServerError; the message names the file */
async function loadFile(server: Server, options: RunOptions, force: boolean): Promise<void> {
  const bytes = await readConfig(options.config, options.adapter);
  try {
    await server.engine.load(bytes, {
      force,
      sourceFile: options.config,
      author: force ? `SIGUSR1, ${options.config}` : options.config,
    });
  } catch (error) {
    const noJson = error instanceof ServerError && error.code === "CONFIG_SYNTAX";
    throw errorWithin(`--config ${options.config}${noJson ? ": JSON is expected" : ""}`, error);
  }
}

/** Starts with the saved config if asked to, else with the file, else with none. */
async function loadFirstConfig(server: Server, options: RunOptions, log: Logger): Promise<void> {
  if (options.resume) {
    const saved = await server.autosave.read();
    if (saved !== undefined) {
      log.info(
        `resuming with ${server.autosave.path}${options.config === "" ? "" : `, not ${options.config}`}`,
      );
      await server.engine.load(saved, { author: "--resume" });
      return;
    }
  }
  if (options.config === "") {
    await server.engine.load(Buffer.from("null"), { author: "started without a configuration" });
    return;
  }
  await loadFile(server, options, false);
}

/** SIGUSR1: the file again, as long as what runs came from it. */
async function reloadFile(server: Server, options: RunOptions, log: Logger): Promise<void> {
  if (options.config === "" || options.config === "-" || server.engine.sourceFile !== options.config) {
    log.warn("SIGUSR1: the configuration no longer is that of --config, so it stays");
    return;
  }
  try {
    await loadFile(server, options, true);
  } catch (error) {
    log.error(`SIGUSR1: ${messageOf(error)}`);
  }
}

function startErrorText(error: unknown): string {
  const text = messageOf(error);
  return text.includes("address already in use")
    ? `${text}: stop the program that has it, or configure another address`
    : text;
}

/** `server run`: until told to stop. @returns the exit code. Source: the public model (Caddy 2.11), seen running */
export async function runCommand(args: readonly string[]): Promise<number> {
  const { LOG_LEVEL, LOG_ENCODING, SERVER_WORKERS } = process.env;
  const { options } = parseOptions(runOptions, {
    arguments: args,
    environment: { LOG_LEVEL, LOG_ENCODING, ...(SERVER_WORKERS ? { WORKERS: SERVER_WORKERS } : {}) },
  });
  if (options.environ) {
    process.stdout.write(
      `${Object.entries(process.env)
        .map(([name, value]) => `${name}=${value}`)
        .join("\n")}\n`,
    );
  }
  const log = createLogger({
    name: "server",
    level: options["log-level"],
    encoding: options["log-encoding"],
  });
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught error: exiting");
    process.exit(exitCodes.startFailed);
  });
  process.on("SIGQUIT", () => process.exit(exitCodes.forced));
  process.on("SIGUSR2", () => {});
  process.on("SIGHUP", () => {});
  const stop = new StopRequest();
  const stopCall = Promise.withResolvers<string>();
  const server = await Server.create({
    environment: process.env,
    log,
    metrics: createMetrics("admin-server"),
    workers: {
      count: options.workers,
      logEncoding: usesConsole(options["log-encoding"]) ? "console" : "json",
    },
    onStopRequest: () => stopCall.resolve("POST /stop"),
  });
  process.on("SIGUSR1", () => void reloadFile(server, options, log));
  try {
    await loadFirstConfig(server, options, log);
  } catch (error) {
    log.fatal(`cannot start: ${startErrorText(error)}`);
    return exitCodes.startFailed;
  }
  log.info(`server ${version.gitVersion} runs`);
  log.info(`stopping: ${await Promise.race([stop.requested, stopCall.promise])}`);
  try {
    await server.stop();
  } catch (error) {
    log.error({ err: error }, "error while stopping");
    return exitCodes.stopFailed;
  }
  log.info("stopped");
  return exitCodes.success;
}
