import { accessSync, constants, mkdirSync } from "node:fs";
import { BoundedOutput } from "./bounded-output.ts";
import { fileLimitWarning } from "./file-limit.ts";
import { takenPorts } from "./port-check.ts";
import { linePrefix } from "./prefix-lines.ts";
import { tellServiceManager } from "./service-manager.ts";
import { type LaunchScope, services } from "./services.ts";
import { onStopRequest } from "./stop-requests.ts";
import { type Restart, SupervisedProcess } from "./supervised-process.ts";
import { welcome } from "./welcome.ts";

/** A slow machine needs minutes, and so does a store with much to read. Whatever cannot start ends by itself before. */
const healthyWithinMs = 300_000;
const tellEveryMs = 15_000;
const stopWithinMs = 15_000;

/** Exit codes, as `--help` and docs/processes.md tell them. */
const exitCode = { stopped: 0, cannotStart: 1, killed: 2 } as const;

/** Why nothing was started, in one line. */
class LaunchError extends Error {
  override readonly name = "LaunchError";
}

function checkDataFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LaunchError(
      `cannot write to the data folder ${path} (${reason}): mend it or choose another with --data`,
    );
  }
}

function takenLine([first, ...others]: readonly string[]): string {
  return others.length === 0
    ? `${first}`
    : `${first} (${others.length} more of our ports are taken too: does this already run?)`;
}

function restartLine(name: string, { how, reason, pauseMs }: Restart): string {
  const pause = `${pauseMs / 1000} s`;
  return reason === ""
    ? `${name} ended (${how}): starting it again in ${pause}, the others go on`
    : `${name} cannot start again (${reason}): trying again in ${pause}, the others go on; mend that, or stop all with Ctrl-C`;
}

/**
 * Runs every process until it must stop (SIGINT, SIGTERM, SIGHUP, or the end of its parent), or until one
 * cannot start at all. Only the very first start is all or nothing.
 * @returns the exit code: 0 stopped as asked, 1 something could not start
 */
export async function launch(scope: LaunchScope): Promise<number> {
  const { dataFolder } = scope;
  const colour = process.stdout.isTTY === true && (process.env.NO_COLOR ?? "") === "";
  const list = services(scope);
  const width = Math.max(...list.map((service) => service.name.length));
  const own = linePrefix("npm start", 6, width, colour);
  const output = new BoundedOutput(process.stdout);
  const say = (text: string) => output.write(`${own}${text}\n`);
  // Whoever read our lines may be gone before us: then nobody is told, and everything is stopped all the same.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});

  try {
    checkDataFolder(dataFolder);
    const taken = await takenPorts(list);
    if (taken.length > 0) {
      throw new LaunchError(takenLine(taken));
    }
  } catch (error) {
    if (!(error instanceof LaunchError)) {
      throw error;
    }
    process.stderr.write(`cannot start: ${error.message}\n`);
    return exitCode.cannotStart;
  }

  if (list.some(({ name }) => name === "tracing-storage") && process.report !== undefined) {
    // Reading all network interfaces would take the report seconds on some machines.
    Object.assign(process.report, { excludeNetwork: true });
    const warning = fileLimitWarning(process.report.getReport());
    if (warning !== undefined) {
      say(warning);
    }
  }

  const begin = Date.now();
  const environment = { ...process.env, LOG_ENCODING: "console", ...(colour ? { FORCE_COLOR: "1" } : {}) };
  const processes = list.map((service) => new SupervisedProcess(service, environment));
  const ended = Promise.withResolvers<number>();
  const giveUp = new AbortController();
  let failure: string | undefined;

  processes.forEach((child, index) => {
    const { name, stateFile } = child.service;
    const prefix = linePrefix(name, index, width, colour);
    child.on("line", (line) => output.write(`${prefix}${line}\n`));
    child.on("restart", (restart) => say(restartLine(name, restart)));
    child.on("back", () => say(`${name} is back`));
    child.on("failed", (reason) => {
      failure ??= `${name}: ${reason}${stateFile === undefined ? "" : ` (its saved state is ${stateFile})`}`;
      giveUp.abort();
      ended.resolve(exitCode.cannotStart);
    });
  });

  let wasAsked = false;
  onStopRequest({
    stop: (why) => {
      wasAsked = true;
      say(`${why}: stopping in order (again: at once)`);
      giveUp.abort();
      ended.resolve(exitCode.stopped);
    },
    kill: () => {
      say("killing all processes");
      for (const child of processes) {
        child.kill();
      }
      process.exit(exitCode.killed);
    },
  });

  // The store first; the others need not wait for it: each tries again until it answers.
  for (const child of processes.toReversed()) {
    child.start();
  }
  const deadline = AbortSignal.any([giveUp.signal, AbortSignal.timeout(healthyWithinMs)]);
  const teller = setInterval(() => {
    const names = processes.filter(({ state }) => state === "starting").map(({ service }) => service.name);
    const seconds = Math.round((Date.now() - begin) / 1000);
    say(`after ${seconds} s not healthy yet: ${names.join(", ")}; waiting up to ${healthyWithinMs / 1000} s`);
  }, tellEveryMs);
  const healthy = await Promise.allSettled(processes.map((child) => child.healthy(deadline)));
  clearInterval(teller);
  const late = processes.filter((_, index) => healthy[index]?.status === "rejected");
  if (late.length === 0) {
    output.write(welcome(scope, Date.now() - begin));
    await tellServiceManager("READY=1", "all processes are healthy");
  } else if (failure === undefined && !wasAsked) {
    failure = `${late.map((child) => child.service.name).join(", ")}: not healthy within ${healthyWithinMs / 1000} s`;
    ended.resolve(exitCode.cannotStart);
  }

  const code = await ended.promise;
  await tellServiceManager("STOPPING=1", "stopping in order");
  for (const child of processes) {
    await child.stop(stopWithinMs);
  }
  if (failure === undefined) {
    say("all processes are stopped; the data is kept");
  } else {
    process.stderr.write(
      `\ncannot start: ${failure}\n(everything else was stopped again; nothing is left running)\n`,
    );
  }
  return code;
}
