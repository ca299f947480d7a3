import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { get } from "node:http";
import { stripVTControlCharacters } from "node:util";
import { eachLine } from "./prefix-lines.ts";
import type { Service } from "./services.ts";

export type ProcessState = "starting" | "running" | "stopping" | "stopped" | "failed";

const restartDelayMs = 500;
const quickDeaths = { count: 5, withinMs: 30_000 };

interface ProcessEvents {
  line: [line: string];
  /** Ended unasked, and will be started again. */
  restart: [how: string];
  /** Will not be started again. */
  failed: [reason: string];
}

/**
 * One child process: started, watched, started again when it dies unasked (but not when it cannot start at all, nor
 * after five deaths within half a minute), and stopped on demand.
 * The child gets a process group of its own, so that Ctrl-C reaches it only through us, in order; and a channel,
 * so that it stops by itself should this process vanish.
 */
export class SupervisedProcess extends EventEmitter<ProcessEvents> {
  readonly service: Service;
  readonly #environment: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #state: ProcessState = "stopped";
  #wasHealthy = false;
  #deaths: number[] = [];
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
    const { nodeOptions = [], program, arguments: programArguments } = this.service;
    const child = spawn(process.execPath, [...nodeOptions, program, ...programArguments], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
      env: { ...this.#environment, ...this.service.environment },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) eachLine(stream, (line) => this.#onLine(line));
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
    const now = Date.now();
    this.#deaths = [...this.#deaths.filter((time) => now - time < quickDeaths.withinMs), now];
    if (!this.#wasHealthy || this.#deaths.length >= quickDeaths.count) {
      this.#state = "failed";
      this.emit("failed", this.#reason || `it ended with ${how}`);
      return;
    }
    this.#state = "starting";
    this.emit("restart", how);
    this.#restartTimer = setTimeout(() => this.start(), restartDelayMs);
  }

  /** Resolves when the process is healthy; rejects with the reason when it failed or the signal is aborted. */
  async healthy(signal: AbortSignal): Promise<void> {
    const { healthUrl } = this.service;
    while (!signal.aborted) {
      if (this.#state === "failed") {
        throw new Error(this.#reason || "it ended");
      }
      if (healthUrl === undefined || (await answers(healthUrl))) {
        this.#wasHealthy = true;
        this.#state = "running";
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
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

/**
 * Whether the address answers with a 2xx status within a second. Not by `fetch`, whose Sec-Fetch-Mode header makes the
 * admin API check for an Origin, as it must for browsers.
 */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = get(url, { timeout: 1000, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode !== undefined && response.statusCode < 300);
    });
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve(false));
  });
}
