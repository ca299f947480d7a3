// Signals while a server runs:
//
// | signal | effect | exit code |
// |---|---|---|
// | SIGTERM, SIGINT, `POST /stop` | running requests finish, then the process ends | 0, or 3 if stopping failed |
// | SIGQUIT | ends immediately | 2 |
// | SIGUSR1 | the config file is loaded again | |
// | SIGUSR2, SIGHUP | no effect, as in Caddy | |

import {
  createLogger,
  createMetrics,
  exitCodes,
  type Logger,
  type LogLevel,
  StopRequest,
  version,
} from "lifecycle";
import { messageOf } from "server-core/errors";
import { ProcessLogForwarder } from "server-core/logging/process-log-forwarder";
import { containUncaught } from "server-core/threads/error-owner";
import { releaseMemory } from "server-core/threads/release-memory";
import { Server } from "../server.ts";
import { defaultWorkers } from "../worker/open-threads.ts";
import { restOptimizingCompiler, useOptimizingCompiler } from "./optimizing-compiler.ts";
import { ConfigTextError } from "./read-config.ts";
import { growYoungSpace } from "./young-space.ts";

/** A server that runs in this process until it is stopped. */
export interface ServerRun {
  /** Minimum level of logged lines until a config sets another level. */
  readonly logLevel: LogLevel;
  /** Format of log lines; `auto` is `console` on a terminal, else `json`. */
  readonly logEncoding: "auto" | "json" | "console";
  /** Number of threads that serve traffic. Undefined: up to one thread for each core, started on demand. */
  readonly workers: number | undefined;
  /** Loads the first configuration. @throws StartError, ServerError: the process ends with exit code 1 */
  load(server: Server, log: Logger): Promise<void>;
  /** Called once the server runs. @returns a function that is called before the stop */
  running?(server: Server, log: Logger): Promise<undefined | (() => Promise<void>)>;
  /** Called on SIGUSR1; absent ignores the signal. */
  reload?(server: Server, log: Logger): Promise<void>;
}

/** True for log lines for people. Workers need this value, because they cannot detect the terminal. */
function usesConsole(encoding: ServerRun["logEncoding"]): boolean {
  return encoding === "console" || (encoding === "auto" && process.stderr.isTTY === true);
}

/** The reason why a server did not start, with advice about a used port. */
function startErrorText(error: unknown): string {
  const text = messageOf(error);
  if (text.includes("address already in use")) {
    return `${text}: stop the program that has it, or configure another address`;
  }
  return text.includes("bind: permission denied")
    ? `${text}: ports below 1024 need more rights, or configure another address`
    : text;
}

/** Prints the faulty line only for people, because it would break a JSON log. */
function printExcerpt(error: unknown, encoding: ServerRun["logEncoding"]): void {
  if (error instanceof ConfigTextError && usesConsole(encoding)) {
    process.stderr.write(error.excerpt);
  }
}

/** @param onStopRequest called when a client of the admin API stops the server */
function createServer(
  run: ServerRun,
  log: Logger,
  processLogForwarder: ProcessLogForwarder,
  onStopRequest: () => void,
): Promise<Server> {
  return Server.create({
    environment: process.env,
    log,
    processLogForwarder,
    metrics: createMetrics("admin-server"),
    workers: {
      count: run.workers ?? defaultWorkers(),
      onDemand: run.workers === undefined,
      logEncoding: usesConsole(run.logEncoding) ? "console" : "json",
    },
    onStopRequest,
    changesTrustStores: !process.env.SERVER_SKIP_INSTALL_TRUST,
  });
}

/**
 * Runs a server until it is stopped. @returns the exit code. Source: Caddy 2.11, observed behavior
 */
export async function runServer(run: ServerRun): Promise<number> {
  restOptimizingCompiler();
  const lines = new ProcessLogForwarder();
  const log = createLogger({
    name: "server",
    level: run.logLevel,
    encoding: run.logEncoding,
    take: lines.take,
  });
  lines.attach(log);
  containUncaught((error) => {
    log.fatal({ err: error }, "uncaught error: exiting");
    process.exit(exitCodes.startFailed);
  });
  process.on("SIGQUIT", () => process.exit(exitCodes.forced));
  process.on("SIGUSR2", () => {});
  process.on("SIGHUP", () => {});
  const stop = new StopRequest();
  const stopCall = Promise.withResolvers<string>();
  const server = await createServer(run, log, lines, () => stopCall.resolve("POST /stop"));
  process.on("SIGUSR1", () => void run.reload?.(server, log));
  const stopReason = Promise.race([stop.requested, stopCall.promise]);
  const loading = run.load(server, log);
  let isLoaded = false;
  try {
    isLoaded = (await Promise.race([stopReason, loading])) === undefined;
  } catch (error) {
    log.fatal(`cannot start: ${startErrorText(error)}`);
    printExcerpt(error, run.logEncoding);
    return exitCodes.startFailed;
  }
  let end: undefined | (() => Promise<void>);
  if (isLoaded) {
    growYoungSpace();
    useOptimizingCompiler();
    releaseMemory();
    log.info(`server ${version.gitVersion} runs`);
    end = await run.running?.(server, log);
    log.info(`stopping: ${await stopReason}`);
  } else {
    loading.catch(() => {}); // The abandoned load may fail; nobody needs its result.
    log.info(`stopping: ${await stopReason}, before the configuration was loaded`);
  }
  try {
    await end?.();
    await server.stop();
  } catch (error) {
    log.error({ err: error }, "error while stopping");
    return exitCodes.stopFailed;
  }
  log.info("stopped");
  // The part of the server that stopped it may have set the exit code.
  return Number(process.exitCode ?? exitCodes.success);
}
