import { accessSync, constants, mkdirSync } from "node:fs";
import { BoundedOutput } from "./bounded-output.ts";
import { fileLimitWarning } from "./file-limit.ts";
import { takenPorts } from "./port-check.ts";
import { linePrefix } from "./prefix-lines.ts";
import { tellServiceManager } from "./service-manager.ts";
import { type LaunchScope, type Service, services } from "./services.ts";
import { onStopRequest } from "./stop-requests.ts";
import { type Restart, SupervisedProcess } from "./supervised-process.ts";
import { welcome } from "./welcome.ts";

/**
 * Milliseconds until all processes must be healthy. A slow machine or a large store needs minutes. A process that
 * cannot start ends the launch earlier.
 */
const healthyWithinMs = 300_000;
/** Milliseconds between two lines that name the processes that are not healthy yet. */
const tellEveryMs = 15_000;
/** Milliseconds for a process to stop gracefully; after them it is killed. */
const stopWithinMs = 15_000;

/** Exit codes of the launcher. `--help` and docs/processes.md list them. */
const exitCode = { stopped: 0, cannotStart: 1, killed: 2 } as const;

/** The reason why no process was started, in one line. */
class LaunchError extends Error {
  override readonly name = "LaunchError";
}

/** Creates the data folder. @throws LaunchError when the folder is not writable */
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

/** One line for all ports that are taken: it names the first port, and the number of the others. */
function takenLine([first, ...others]: readonly string[]): string {
  return others.length === 0
    ? `${first}`
    : `${first} (${others.length} more of our ports are taken too: does this already run?)`;
}

/** The line with the reason of a restart, and a remedy. */
function restartLine(name: string, { how, reason, pauseMs }: Restart): string {
  const pause = `${pauseMs / 1000} s`;
  return reason === ""
    ? `${name} ended (${how}): starting it again in ${pause}, the others go on`
    : `${name} cannot start again (${reason}): trying again in ${pause}, the others go on; mend that, or stop all with Ctrl-C`;
}

/** @throws LaunchError when the data folder is not writable, or a port is taken */
async function checkMachine(dataFolder: string, list: readonly Service[]): Promise<void> {
  checkDataFolder(dataFolder);
  const taken = await takenPorts(list);
  if (taken.length > 0) {
    throw new LaunchError(takenLine(taken));
  }
}

/** @returns the warning when the limit of open files is too low for the store; otherwise undefined */
function storeWarning(list: readonly Service[]): string | undefined {
  if (!list.some(({ name }) => name === "tracing-storage") || process.report === undefined) {
    return undefined;
  }
  // Without this setting the report reads all network interfaces, which takes seconds on some machines.
  Object.assign(process.report, { excludeNetwork: true });
  return fileLimitWarning(process.report.getReport());
}

/** Writes the lines of all processes to one screen, each line with the name of its process. */
class Screen {
  readonly #colour = process.stdout.isTTY === true && (process.env.NO_COLOR ?? "") === "";
  readonly #output = new BoundedOutput(process.stdout);
  readonly #width: number;
  readonly #own: string;
  /** Variables that make a process log in the form of this screen. */
  readonly environment = { LOG_ENCODING: "console", ...(this.#colour ? { FORCE_COLOR: "1" } : {}) };

  constructor(list: readonly Service[]) {
    this.#width = Math.max(...list.map(({ name }) => name.length));
    this.#own = linePrefix("npm start", 6, this.#width, this.#colour);
    // The program that reads our output may end before this process. The error is ignored, so that all processes are
    // still stopped.
    process.stdout.on("error", () => {});
    process.stderr.on("error", () => {});
  }

  /** Writes a line of the launcher itself. */
  say(text: string): void {
    this.#output.write(`${this.#own}${text}\n`);
  }

  /** Writes text unchanged. */
  write(text: string): void {
    this.#output.write(text);
  }

  /**
   * Writes the lines of a process from now on.
   * @param index index of the process in the list, which selects its colour
   */
  show(child: SupervisedProcess, index: number): void {
    const prefix = linePrefix(child.service.name, index, this.#width, this.#colour);
    child.on("line", (line) => this.#output.write(`${prefix}${line}\n`));
  }
}

/** Supervises the processes of one `npm start`, from the first start to the last stop. */
class Launch {
  readonly #scope: LaunchScope;
  readonly #screen: Screen;
  readonly #processes: readonly SupervisedProcess[];
  readonly #begin = Date.now();
  readonly #ended = Promise.withResolvers<number>();
  /** Aborted to end the wait for healthy processes. */
  readonly #giveUp = new AbortController();
  /** The first failure of a start; undefined without a failure. */
  #failure: string | undefined;
  #wasAsked = false;

  constructor(scope: LaunchScope, list: readonly Service[], screen: Screen) {
    this.#scope = scope;
    this.#screen = screen;
    const environment = { ...process.env, ...screen.environment };
    this.#processes = list.map((service) => new SupervisedProcess(service, environment));
    for (const [index, child] of this.#processes.entries()) {
      screen.show(child, index);
      this.#watch(child);
    }
  }

  /** @returns resolves to the exit code when every process has stopped */
  async run(): Promise<number> {
    this.#stopOnRequest();
    // The store starts first. The other processes start without waiting, because each of them retries until the store
    // answers.
    for (const child of this.#processes.toReversed()) {
      child.start();
    }
    await this.#untilHealthy();
    const code = await this.#ended.promise;
    await tellServiceManager("STOPPING=1", "stopping in order");
    for (const child of this.#processes) {
      await child.stop(stopWithinMs);
    }
    if (this.#failure === undefined) {
      this.#screen.say("all processes are stopped; the data is kept");
    } else {
      process.stderr.write(
        `\ncannot start: ${this.#failure}\n(everything else was stopped again; nothing is left running)\n`,
      );
    }
    return code;
  }

  /** Writes the changes of a process's state, and ends the launch when the process cannot start. */
  #watch(child: SupervisedProcess): void {
    const { name, stateFile } = child.service;
    child.on("restart", (restart) => this.#screen.say(restartLine(name, restart)));
    child.on("back", () => this.#screen.say(`${name} is back`));
    child.on("failed", (reason) => {
      this.#failure ??= `${name}: ${reason}${stateFile === undefined ? "" : ` (its saved state is ${stateFile})`}`;
      this.#giveUp.abort();
      this.#ended.resolve(exitCode.cannotStart);
    });
  }

  /** Stops all processes at the first request, and kills them at the second. */
  #stopOnRequest(): void {
    onStopRequest({
      stop: (why) => {
        this.#wasAsked = true;
        this.#screen.say(`${why}: stopping in order (again: at once)`);
        this.#giveUp.abort();
        this.#ended.resolve(exitCode.stopped);
      },
      kill: () => {
        this.#screen.say("killing all processes");
        for (const child of this.#processes) {
          child.kill();
        }
        process.exit(exitCode.killed);
      },
    });
  }

  /** Prints the welcome text when all processes are healthy; ends the launch after a timeout. */
  async #untilHealthy(): Promise<void> {
    const deadline = AbortSignal.any([this.#giveUp.signal, AbortSignal.timeout(healthyWithinMs)]);
    const teller = setInterval(() => this.#tellWait(), tellEveryMs);
    const healthy = await Promise.allSettled(this.#processes.map((child) => child.healthy(deadline)));
    clearInterval(teller);
    const late = this.#processes.filter((_, index) => healthy[index]?.status === "rejected");
    if (late.length === 0) {
      this.#screen.write(welcome(this.#scope, Date.now() - this.#begin));
      await tellServiceManager("READY=1", "all processes are healthy");
    } else if (this.#failure === undefined && !this.#wasAsked) {
      const names = late.map((child) => child.service.name).join(", ");
      this.#failure = `${names}: not healthy within ${healthyWithinMs / 1000} s`;
      this.#ended.resolve(exitCode.cannotStart);
    }
  }

  /** Prints the names of processes that are not healthy yet. */
  #tellWait(): void {
    const starting = this.#processes.filter(({ state }) => state === "starting");
    const names = starting.map(({ service }) => service.name).join(", ");
    const seconds = Math.round((Date.now() - this.#begin) / 1000);
    this.#screen.say(
      `after ${seconds} s not healthy yet: ${names}; waiting up to ${healthyWithinMs / 1000} s`,
    );
  }
}

/**
 * Runs all processes until the launcher must stop (SIGINT, SIGTERM, SIGHUP, or the end of its parent), or until a
 * process fails in its first start. After the first start, the failure of one process does not end the other processes.
 * @returns the exit code: 0 for a requested stop, 1 when a process could not start
 */
export async function launch(scope: LaunchScope): Promise<number> {
  const list = services(scope);
  const screen = new Screen(list);
  try {
    await checkMachine(scope.dataFolder, list);
  } catch (error) {
    if (!(error instanceof LaunchError)) {
      throw error;
    }
    process.stderr.write(`cannot start: ${error.message}\n`);
    return exitCode.cannotStart;
  }
  const warning = storeWarning(list);
  if (warning !== undefined) {
    screen.say(warning);
  }
  return await new Launch(scope, list, screen).run();
}
