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
 * | `starting` | spawned, and not healthy yet | a passed health check, or the exit |
 * | `running` | it was healthy since its last start | its end |
 * | `waiting` | it ended by itself; a timer starts it again | the timer, or `stop` |
 * | `stopping` | it was asked to end | its end |
 * | `stopped` | nothing runs: before the first start, or after `stop` | `start` |
 * | `failed` | its very first start failed | nothing |
 */
export type ProcessState = "starting" | "running" | "waiting" | "stopping" | "stopped" | "failed";

/** Milliseconds between two looks at a process that starts. */
const lookAgainMs = 50;

/** Why a process is started again, and when. */
export interface Restart {
  /** "SIGKILL", "exit code 1". */
  readonly how: string;
  /** The last output of a process that ended during its start; empty for one that had started. */
  readonly reason: string;
  /** Milliseconds from its end to its next start. */
  readonly pauseMs: number;
}

/** Events of a process. */
interface ProcessEvents {
  /** A line of output. */
  line: [line: string];
  /** Ended unasked, and will be started again. */
  restart: [restart: Restart];
  /** Healthy again after a restart. */
  back: [];
  /** Ended before it was healthy for the first time; it will not be started again. */
  failed: [reason: string];
}

/**
 * A child process: started, watched, restarted after growing pauses when it ends by itself, and stopped on
 * demand. Only the very first start may fail permanently. Later the reason may vanish, such as a port that
 * another program took. The child has its own process group, so that Ctrl-C reaches it only through us, in
 * order. It also has a channel, so that it stops when this process vanishes.
 */
export class SupervisedProcess extends EventEmitter<ProcessEvents> {
  /** The process that is supervised. */
  readonly service: Service;
  /** Variables that all processes get. */
  readonly #environment: NodeJS.ProcessEnv;
  // Pauses between restarts.
  readonly #pauses = new RestartPauses();
  /** The running child; undefined between two starts. */
  #child: ChildProcess | undefined;
  #state: ProcessState = "stopped";
  /** True after the first start that succeeded: from then on the process is restarted. */
  #wasHealthy = false;
  /** When the child was spawned, in milliseconds since the Unix epoch. */
  #startedAt = 0;
  /** The failure that the child named last; "" for none. */
  #reason = "";
  #restartTimer: NodeJS.Timeout | undefined;

  constructor(service: Service, environment: NodeJS.ProcessEnv) {
    super();
    this.service = service;
    this.#environment = environment;
  }

  /** The state of now. */
  get state(): ProcessState {
    return this.#state;
  }

  /** Spawns the child. Events report its state. */
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

  /** Passes a line on. During a start it remembers a line that says why the start fails. */
  #onLine(line: string): void {
    const plain = stripVTControlCharacters(line);
    const found = /cannot start: (.*)$/.exec(plain) ?? /^[a-z-]+: (.*)$/.exec(plain);
    if (this.#state === "starting" && found?.[1] !== undefined) {
      this.#reason = found[1];
    }
    this.emit("line", line);
  }

  /** The child has ended: asked for, in its first start, or by itself. */
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

  /** Starts the child again, and says when it is healthy. */
  async #startAgain(): Promise<void> {
    this.start();
    const child = this.#child;
    while (this.#child === child && this.#state === "starting") {
      if (await this.#looksHealthy()) {
        // Another program may answer there while this one fails to listen: what has ended meanwhile is not back.
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

  /** True when the process answers; a process without a port counts as healthy immediately. */
  async #looksHealthy(): Promise<boolean> {
    const { healthUrl } = this.service;
    return healthUrl === undefined || (await answers(healthUrl));
  }

  #becomeHealthy(): void {
    this.#wasHealthy = true;
    this.#state = "running";
    this.#reason = "";
  }

  /** Resolves when the first start is done; rejects with the reason when it failed or the signal is aborted. */
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

  /** Asks the process to end and waits for it; kills it at the deadline. */
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

  /** Kills the process immediately. */
  kill(): void {
    this.#state = "stopping";
    clearTimeout(this.#restartTimer);
    this.#child?.kill("SIGKILL");
  }
}
