import { z } from "zod";
import { openAdminPort } from "./admin-port.ts";
import { askStatus } from "./ask-status.ts";
import { StartError } from "./errors.ts";
import { ProcessHealth } from "./health.ts";
import { createLogger, type Logger } from "./logger.ts";
import { createMetrics } from "./metrics.ts";
import { environmentText } from "./options/environment-text.ts";
import { helpText } from "./options/help-text.ts";
import { optionFields } from "./options/option-field.ts";
import { type ParsedOptions, parseOptions } from "./options/parse-options.ts";
import type { ProcessDefinition, RunningProcess } from "./process-definition.ts";
import { type ShellOptions, shellOptions } from "./shell-options.ts";
import { exitCodes, StopRequest } from "./stop-request.ts";
import { openServerTls } from "./tls/server-tls.ts";
import { version } from "./version.ts";

const commands = [
  ["run", "Start the process (the default)."],
  ["status", "Ask the admin port of a running process for its health; exit code 0 when it is available."],
  ["print-config", "Print every option, its value and where that comes from."],
  ["env", "Print the environment variable of every option."],
  ["version", "Print the version."],
  ["help", "Print this text."],
] as const;

const statusTimeoutMs = 5_000;

/** The public model's name for the address that `status` asks. */
const statusAliases = { "status.http": "admin.http" };

async function status(options: ShellOptions): Promise<number> {
  const log = createLogger({ name: "status", level: "fatal", encoding: "auto" });
  try {
    const tls = await openServerTls(options, "admin.http", log);
    const answer = await askStatus(options["admin.http.host-port"], statusTimeoutMs, tls?.material);
    process.stdout.write(`${answer.text}\n`);
    return answer.available ? exitCodes.success : exitCodes.startFailed;
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.startFailed;
  }
}

function printConfig(parsed: ParsedOptions<unknown>): void {
  const width = Math.max(...[...parsed.origins.keys()].map((name) => name.length));
  for (const [name, { text, source }] of parsed.origins) {
    const shown = /password|token|secret/.test(name) && text !== "" ? "***" : text;
    process.stdout.write(`${name.padEnd(width)}  ${shown || '""'}  (${source})\n`);
  }
}

async function stopInTime(running: RunningProcess, timeoutMs: number, log: Logger): Promise<boolean> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const late = new Promise<"late">((resolve) => deadline.addEventListener("abort", () => resolve("late")));
  try {
    if ((await Promise.race([running.stop(deadline), late])) === "late") {
      log.error(`not stopped within ${timeoutMs} ms: exiting all the same`);
      return false;
    }
    return true;
  } catch (error) {
    log.error({ err: error }, "error while stopping");
    return false;
  }
}

async function serve<Shape extends z.ZodRawShape>(
  definition: ProcessDefinition<Shape>,
  options: ShellOptions & z.infer<z.ZodObject<Shape>>,
): Promise<number> {
  const log = createLogger({
    name: definition.name,
    level: options["log-level"],
    encoding: options["log-encoding"],
  });
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "uncaught error: exiting");
    process.exit(exitCodes.startFailed);
  });
  const stop = new StopRequest();
  const metrics = createMetrics(definition.name);
  const health = new ProcessHealth(log);

  let running: RunningProcess;
  let adminPort: Awaited<ReturnType<typeof openAdminPort>>;
  try {
    adminPort = await openAdminPort({
      address: options["admin.http.host-port"],
      tls: await openServerTls(options as ShellOptions, "admin.http", log),
      health,
      metrics,
      metricsRoute: options["metrics-backend"] === "none" ? undefined : options["metrics-http-route"],
    });
    running = await definition.start({ options, log, metrics, health, signal: stop.signal });
  } catch (error) {
    if (error instanceof StartError) {
      log.fatal(`cannot start: ${error.message}`);
    } else {
      log.fatal({ err: error }, "cannot start");
    }
    return exitCodes.startFailed;
  }
  health.set("available");

  const failed = running.failed?.catch((error: unknown) => error) ?? new Promise<never>(() => {});
  const outcome = await Promise.race([
    stop.requested.then((reason) => ({ reason, failure: undefined })),
    failed.then((failure) => ({ reason: "failed", failure })),
  ]);
  if (outcome.failure !== undefined) {
    log.fatal({ err: outcome.failure }, "cannot go on");
  } else {
    log.info(`stopping: ${outcome.reason}`);
  }
  health.set("not available", "stopping");
  const stopped = await stopInTime(running, options["shutdown-timeout"], log);
  await adminPort.close();
  log.info("stopped");
  if (outcome.failure !== undefined) {
    return exitCodes.startFailed;
  }
  return stopped ? exitCodes.success : exitCodes.stopFailed;
}

/**
 * Makes a program of a process definition: reads the command line, then runs until told to stop, and exits.
 * Exit codes: 0 stopped as asked, 1 could not start or go on, 2 forced by a second SIGINT, 3 error while stopping.
 */
export async function runProcess<Shape extends z.ZodRawShape>(
  definition: ProcessDefinition<Shape>,
): Promise<never> {
  const [first, ...rest] = process.argv.slice(2);
  const command = first === undefined || first.startsWith("-") ? "run" : first;
  const args = command === "run" && first !== "run" ? process.argv.slice(2) : rest;
  const schema = z.object({ ...definition.options.shape, ...shellOptions(definition.adminHostPort).shape });
  const help = () =>
    helpText({
      name: definition.name,
      description: definition.description,
      commands,
      fields: optionFields(schema),
    });

  if (command === "help" || args.includes("--help") || args.includes("-h")) {
    process.stdout.write(help());
    process.exit(exitCodes.success);
  }
  if (command === "version" || args.includes("--version")) {
    process.stdout.write(
      `${definition.name} ${version.gitVersion}${version.gitCommit && ` ${version.gitCommit}`}\n`,
    );
    process.exit(exitCodes.success);
  }
  if (command === "env") {
    process.stdout.write(environmentText(optionFields(schema)));
    process.exit(exitCodes.success);
  }
  if (!commands.some(([name]) => name === command)) {
    process.stderr.write(`${definition.name}: unknown command "${command}", see ${definition.name} --help\n`);
    process.exit(exitCodes.startFailed);
  }

  let parsed: ParsedOptions<ShellOptions & z.infer<z.ZodObject<Shape>>>;
  try {
    parsed = parseOptions(schema, {
      arguments: args,
      environment: process.env,
      aliases: { ...definition.aliases, ...(command === "status" ? statusAliases : {}) },
    }) as typeof parsed;
  } catch (error) {
    process.stderr.write(
      `${definition.name}: ${error instanceof StartError ? error.message : String(error)}\n`,
    );
    process.exit(exitCodes.startFailed);
  }

  if (command === "print-config") {
    printConfig(parsed);
    process.exit(exitCodes.success);
  }
  if (command === "status") {
    process.exit(await status(parsed.options));
  }
  process.exit(await serve(definition, parsed.options));
}
