import { accessSync, constants, mkdirSync } from "node:fs";
import { takenPorts } from "./port-check.ts";
import { linePrefix } from "./prefix-lines.ts";
import { services } from "./services.ts";
import { SupervisedProcess } from "./supervised-process.ts";
import { welcome } from "./welcome.ts";

export interface LaunchOptions {
  /** Absolute. */
  readonly dataFolder: string;
  readonly demo: boolean;
}

const healthyWithinMs = 60_000;
const stopWithinMs = 15_000;
const sameSignalMs = 1_000;

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

/**
 * Runs every process until told to stop (SIGINT, SIGTERM) or until one cannot start.
 * @returns the exit code: 0 stopped as asked, 1 something could not start or kept dying
 */
export async function launch({ dataFolder, demo }: LaunchOptions): Promise<number> {
  const colour = process.stdout.isTTY === true && (process.env.NO_COLOR ?? "") === "";
  const list = services(dataFolder, demo);
  const width = Math.max(...list.map((service) => service.name.length));
  const own = linePrefix("npm start", 6, width, colour);
  const say = (text: string) => process.stdout.write(`${own}${text}\n`);

  try {
    checkDataFolder(dataFolder);
    const taken = await takenPorts(list);
    if (taken.length > 0) throw new LaunchError(takenLine(taken));
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    process.stderr.write(`cannot start: ${error.message}\n`);
    return 1;
  }

  const begin = Date.now();
  const environment = { ...process.env, LOG_ENCODING: "console", ...(colour ? { FORCE_COLOR: "1" } : {}) };
  const processes = list.map((service) => new SupervisedProcess(service, environment));
  const ended = Promise.withResolvers<number>();
  const giveUp = new AbortController();
  let failure: string | undefined;

  processes.forEach((child, index) => {
    const prefix = linePrefix(child.service.name, index, width, colour);
    child.on("line", (line) => process.stdout.write(`${prefix}${line}\n`));
    child.on("restart", (how) =>
      say(`${child.service.name} ended (${how}): starting it again, the others go on`),
    );
    child.on("restart", () => void recovered(child));
    child.on("failed", (reason) => {
      const { name, stateFile } = child.service;
      failure ??= `${name}: ${reason}${stateFile === undefined ? "" : ` (its saved state is ${stateFile})`}`;
      giveUp.abort();
      ended.resolve(1);
    });
  });
  const recovered = async (child: SupervisedProcess) => {
    try {
      await child.healthy(AbortSignal.any([giveUp.signal, AbortSignal.timeout(healthyWithinMs)]));
      say(`${child.service.name} is back`);
    } catch {
      // It says itself why; the "failed" event ends the launch.
    }
  };

  let firstSignalAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstSignalAt !== undefined) {
      // One Ctrl-C can come twice: from the terminal, and passed on by npm.
      if (Date.now() - firstSignalAt < sameSignalMs) return;
      say("killing all processes");
      for (const child of processes) child.kill();
      process.exit(2);
    }
    firstSignalAt = Date.now();
    say(`${signal}: stopping in order (again: at once)`);
    giveUp.abort();
    ended.resolve(0);
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);

  // The store first; the others need not wait for it: each tries again until it answers.
  for (const child of processes.toReversed()) child.start();
  const deadline = AbortSignal.any([giveUp.signal, AbortSignal.timeout(healthyWithinMs)]);
  const healthy = await Promise.allSettled(processes.map((child) => child.healthy(deadline)));
  const late = processes.filter((_, index) => healthy[index]?.status === "rejected");
  if (late.length === 0) {
    process.stdout.write(welcome(dataFolder, Date.now() - begin, demo));
  } else if (failure === undefined && firstSignalAt === undefined) {
    failure = `${late.map((child) => child.service.name).join(", ")}: not healthy within ${healthyWithinMs / 1000} s`;
    ended.resolve(1);
  }

  const code = await ended.promise;
  for (const child of processes) await child.stop(stopWithinMs);
  if (failure === undefined) {
    say("all processes are stopped; the data is kept");
  } else {
    process.stderr.write(
      `\ncannot start: ${failure}\n(everything else was stopped again; nothing is left running)\n`,
    );
  }
  return code;
}
