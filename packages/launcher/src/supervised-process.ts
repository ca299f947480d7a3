import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { answers } from "./answers.ts";
import { eachLine } from "./prefix-lines.ts";
import { RestartPauses } from "./restart-pauses.ts";
import type { Service } from "./services.ts";

/**
 * The state of a process:
 *
 * | State | Meaning | Left by |
 * |---|---|---|
 * | `starting` | spawned, but not healthy yet | a passed health check, or the exit of the child |
 * | `running` | a health check has passed since the last start | the exit of the child |
 * | `waiting` | the child ended by itself; a timer will restart it | the timer, or `stop` |
 * | `stopping` | the child was told to stop | the exit of the child |
 * | `stopped` | there is no child: before the first start, or after `stop` | `start` |
 * | `failed` | the first start failed | no event |
 */
export type ProcessState = "starting" | "running" | "waiting" | "stopping" | "stopped" | "failed";

/** Milliseconds between two health checks of a starting process. */
const lookAgainMs = 50;

/** Reason and time of a restart. */
export interface Restart {
  /** How the process ended: "SIGKILL", "exit code 1". */
  readonly how: string;
  /** The last output of a process that ended during its start; "" when the process was already healthy. */
  readonly reason: string;
  /** Milliseconds from the end of the process to its next start. */
  readonly pauseMs: number;
}

interface ProcessEvents {
  /** A line of output. */
  line: [line: string];
  /** The process ended by itself, and will be restarted. */
  restart: [restart: Restart];
  /** The process is healthy again after a restart. */
  back: [];
  /** The process ended before it was healthy for the first time. It will not be restarted. */
  failed: [reason: string];
}

/**
 * A child process: started, watched, restarted after growing pauses when it ends by itself, and stopped on demand. Only
 * the first start may fail for good. A later failure may have a reason that disappears, such as a port that another
 * program took. The child has its own process group, so that Ctrl-C reaches only this process, which then stops the
 * children in order. The child also has a channel to this process, so that it stops when this process ends
 * unexpectedly.
 */
export class SupervisedProcess extends EventEmitter<ProcessEvents> {
  readonly service: Service;
  /** Variables that all processes get. */
  readonly #environment: NodeJS.ProcessEnv;
  readonly #pauses = new RestartPauses();
  /** The running child; undefined between two starts. */
  #child: ChildProcess | undefined;
  #state: ProcessState = "stopped";
  /** True after the first start has succeeded: from then on the process is restarted when it ends. */
  #wasHealthy = false;
  /** When the child was spawned, in milliseconds since the Unix epoch. */
  #startedAt = 0;
  /** The last failure that the child reported; "" when there was no failure. */
  #reason = "";
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(service: Service, environment: NodeJS.ProcessEnv) {
    super();
    this.service = service;
    this.#environment = environment;
  }

  get state(): ProcessState {
    return this.#state;
  }

  /** Spawns the child. Events report the further states. */
  start(): void {
    this.#state = "starting";
    this.#reason = "";
    this.#startedAt = Date.now();
    const { nodeOptions = [], program, arguments: programArguments } = this.service;
    const child = spawn(process.execPath, [...nodeOptions, program, ...programArguments], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
      env: { ...this.#environment, ...this.service.environment },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) {
        eachLine(stream, (line) => this.#onLine(line));
      }
    }
    child.on("error", (error) => {
      this.#reason = error.message;
    });
    child.on("close", (code, signal) => this.#onEnd(code, signal));
  }

  /** Forwards a line. During a start, stores a line that gives the reason of a failure. */
  #onLine(line: string): void {
    const plain = stripVTControlCharacters(line);
    const found = /cannot start: (.*)$/.exec(plain) ?? /^[a-z-]+: (.*)$/.exec(plain);
    if (this.#state === "starting" && found?.[1] !== undefined) {
      this.#reason = found[1];
    }
    this.emit("line", line);
  }

  /** Called when the child has ended: after a request to stop, in its first start, or at any other time. */
  #onEnd(code: number | null, signal: NodeJS.Signals | null): void {
    this.#child = undefined;
    if (this.#state === "stopping") {
      this.#state = "stopped";
      return;
    }
    const how = signal === null ? `exit code ${code}` : signal;
    if (!this.#wasHealthy) {
      this.#state = "failed";
      this.emit("failed", this.#reason || `it ended with ${how}`);
      return;
    }
    const pauseMs = this.#pauses.next(Date.now() - this.#startedAt);
    this.#state = "waiting";
    this.emit("restart", { how, reason: this.#reason, pauseMs });
    this.#restartTimer = setTimeout(() => void this.#startAgain(), pauseMs);
  }

  /** Restarts the child, and emits `back` when it is healthy. */
  async #startAgain(): Promise<void> {
    this.start();
    const child = this.#child;
    while (this.#child === child && this.#state === "starting") {
      if (await this.#looksHealthy()) {
        // While this child fails to listen, another program may answer at the URL. A child that ended in the meantime
        // is not back.
        if (this.#child !== child || this.#state !== "starting") {
          return;
        }
        this.#becomeHealthy();
        this.emit("back");
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
  }

  /** True when the process answers. A process without a port counts as healthy immediately. */
  async #looksHealthy(): Promise<boolean> {
    const { healthUrl } = this.service;
    return healthUrl === undefined || (await answers(healthUrl));
  }

  #becomeHealthy(): void {
    this.#wasHealthy = true;
    this.#state = "running";
    this.#reason = "";
  }

  /** Resolves when the first start is done; rejects with the reason when the start failed or the signal is aborted. */
  async healthy(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#state === "failed") {
        throw new Error(this.#reason || "it ended");
      }
      if ((await this.#looksHealthy()) && this.#state === "starting") {
        this.#becomeHealthy();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
    }
    throw new Error("it was not healthy in time");
  }

  /** Requests the end of the process, and waits for the exit. Kills the process at the deadline. */
  async stop(deadlineMs: number): Promise<void> {
    clearTimeout(this.#restartTimer);
    const child = this.#child;
    this.#state = "stopping";
    if (child === undefined) {
      this.#state = "stopped";
      return;
    }
    const closed = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), deadlineMs);
    await closed;
    clearTimeout(timer);
  }

  kill(): void {
    this.#state = "stopping";
    clearTimeout(this.#restartTimer);
    this.#child?.kill("SIGKILL");
  }
}
