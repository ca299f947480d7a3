import type { z } from "zod";
import { openAdminPort } from "./admin-port.ts";
import { StartError } from "./errors.ts";
import { ProcessHealth } from "./health.ts";
import { createLogger, type Logger } from "./logger.ts";
import { createMetrics } from "./metrics.ts";
import type { ProcessDefinition, RunningProcess } from "./process-definition.ts";
import type { ShellOptions } from "./shell-options.ts";
import { exitCodes, StopRequest } from "./stop-request.ts";
import { openClientTls } from "./tls/client-tls.ts";
import { openServerTls } from "./tls/server-tls.ts";
import { useTracer } from "./tracing/trace-requests.ts";
import { Tracer } from "./tracing/tracer.ts";

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

/** @returns the tracer of this process; undefined if the options name no receiver of spans */
function openTracer(
  name: string,
  options: ShellOptions,
  log: Logger,
  metrics: ReturnType<typeof createMetrics>,
): Tracer | undefined {
  const endpoint = options["tracing.otlp.endpoint"];
  if (endpoint === "") {
    return undefined;
  }
  const tls = openClientTls(options, "tracing.otlp", log);
  const tracer = new Tracer({ name, endpoint, tls, environment: process.env, log, metrics });
  useTracer(tracer);
  return tracer;
}

/** Waits for a request to stop, or for a failure of the process, and logs the reason. @returns true after a failure */
async function untilEnd(running: RunningProcess, stop: StopRequest, log: Logger): Promise<boolean> {
  const failed = running.failed?.catch((error: unknown) => error) ?? new Promise<never>(() => {});
  const outcome = await Promise.race([
    stop.requested.then((reason) => ({ reason, failure: undefined })),
    failed.then((failure) => ({ reason: "failed", failure })),
  ]);
  if (outcome.failure !== undefined) {
    log.fatal({ err: outcome.failure }, "cannot go on");
    return true;
  }
  log.info(`stopping: ${outcome.reason}`);
  return false;
}

/**
 * Runs a process until it must stop, or cannot continue.
 * @param options options that `runProcess` has checked
 * @returns the exit code of the process
 */
export async function serveProcess<Shape extends z.ZodRawShape>(
  definition: Pick<ProcessDefinition<Shape>, "name" | "start">,
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

  let tracer: Tracer | undefined;
  let running: RunningProcess;
  let adminPort: Awaited<ReturnType<typeof openAdminPort>>;
  try {
    tracer = openTracer(definition.name, options as ShellOptions, log, metrics);
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
  log.info({ port: adminPort.port }, "admin port open");

  const hasFailed = await untilEnd(running, stop, log);
  health.set("not available", "stopping");
  const stopped = await stopInTime(running, options["shutdown-timeout"], log);
  await tracer?.close();
  await adminPort.close();
  log.info("stopped");
  if (hasFailed) {
    return exitCodes.startFailed;
  }
  return stopped ? exitCodes.success : exitCodes.stopFailed;
}
