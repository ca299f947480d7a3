import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const startMs = 60_000;
const stopMs = 30_000;
const keptLines = 15;

/** A program under test: its command, and its health check. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** URL that answers 200 when the program is ready. */
  readonly healthUrl: string;
  /** True for our processes: the process ends by itself when this one vanishes. */
  readonly watchesParent: boolean;
}

/** A process under test: a child process that is started for the measurement and stopped after it. */
export class TestProcess {
  readonly name: string;
  readonly #program: Program;
  readonly #child: ChildProcess;
  readonly #lastLines: string[] = [];
  #stopping = false;

  constructor(program: Program) {
    this.name = program.name;
    this.#program = program;
    this.#child = spawn(program.command, program.args, {
      // The child has its own process group, so that Ctrl-C reaches only this process, which then stops the children in
      // order.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", ...(program.watchesParent ? (["ipc"] as const) : [])],
      env: { ...process.env, ...program.environment },
    });
    this.#child.on("error", (error) => this.#lastLines.push(error.message));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream === null) {
        continue;
      }
      createInterface(stream).on("line", (line) => {
        this.#lastLines.push(line);
        if (this.#lastLines.length > keptLines) {
          this.#lastLines.shift();
        }
      });
    }
  }

  /** @throws Error when it could not be started */
  get pid(): number {
    if (this.#child.pid === undefined) {
      throw this.#ended();
    }
    return this.#child.pid;
  }

  /** The reason why the process has ended, with its last lines; undefined while it runs, or after `stop`. */
  get death(): Error | undefined {
    const { exitCode, signalCode, pid } = this.#child;
    const runs = exitCode === null && signalCode === null && pid !== undefined;
    return runs || this.#stopping ? undefined : this.#ended();
  }

  #ended(): Error {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode ?? (exitCode === null ? "an error" : `exit code ${exitCode}`);
    return new Error(`${this.name} ended with ${how}; its last lines:\n${this.#lastLines.join("\n")}`);
  }

  /**
   * Resolves when the process is healthy. @throws Error when it ends, is not healthy within a minute, or the signal is
   * aborted
   */
  async healthy(signal: AbortSignal): Promise<void> {
    const until = performance.now() + startMs;
    while (performance.now() < until) {
      signal.throwIfAborted();
      if (this.death !== undefined) {
        throw this.death;
      }
      if (await answersOk(this.#program.healthUrl)) {
        return;
      }
      await sleep(50);
    }
    throw new Error(
      `${this.name} was not healthy after ${startMs} ms; its last lines:\n${this.#lastLines.join("\n")}`,
    );
  }

  /** Stops the process; kills it when it does not end in time. */
  async stop(): Promise<void> {
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null || this.#stopping) {
      return;
    }
    this.#stopping = true;
    const closed = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), stopMs);
    await closed;
    clearTimeout(timer);
  }
}

async function answersOk(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1000) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
