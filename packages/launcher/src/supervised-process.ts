import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { answers } from "./answers.ts";
import { eachLine } from "./prefix-lines.ts";
import { RestartPauses } from "./restart-pauses.ts";
import type { Service } from "./services.ts";

export type ProcessState = "starting" | "running" | "waiting" | "stopping" | "stopped" | "failed";

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

interface ProcessEvents {
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
 * demand. Only its very first start may fail for good. Later the reason may vanish, such as a port that
 * another program took. The child has its own process group, so that Ctrl-C reaches it only through us, in
 * order. It also has a channel, so that it stops when this process vanishes.
 */
export class SupervisedProcess extends EventEmitter<ProcessEvents> {
  readonly service: Service;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #pauses = new RestartPauses();
  #child: ChildProcess | undefined;
  #state: ProcessState = "stopped";
  #wasHealthy = false;
  #startedAt = 0;
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

  #onLine(line: string): void {
    const plain = stripVTControlCharacters(line);
    const found = /cannot start: (.*)$/.exec(plain) ?? /^[a-z-]+: (.*)$/.exec(plain);
    if (this.#state === "starting" && found?.[1] !== undefined) {
      this.#reason = found[1];
    }
    this.emit("line", line);
  }

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

  /** Kills the process at once. */
  kill(): void {
    this.#state = "stopping";
    clearTimeout(this.#restartTimer);
    this.#child?.kill("SIGKILL");
  }
}
