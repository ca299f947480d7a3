import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testedProgram } from "lifecycle/testing";

const packages = fileURLToPath(new URL("../../../", import.meta.url));

/** One of our processes, run as a real child process. */
export class TestedProcess {
  readonly name: string;
  readonly #program: string;
  readonly #args: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #healthUrl: string;
  #child: ChildProcess | undefined;
  #log = "";

  constructor(name: string, program: string, args: readonly string[], healthUrl: string, environment = {}) {
    this.name = name;
    this.#program = testedProgram(join(packages, program));
    this.#args = args;
    this.#healthUrl = healthUrl;
    this.#environment = environment;
  }

  /** The whole log since the start of the test. */
  get log(): string {
    return this.#log;
  }

  /** Process id of the running child; 0 when no child runs. */
  get pid(): number {
    return this.isRunning ? (this.#child?.pid ?? 0) : 0;
  }

  /** URL of the metrics; not valid for the web server, whose admin port has another protocol. */
  get metricsUrl(): string {
    return new URL("/metrics", this.#healthUrl).href;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [this.#program, ...this.#args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...this.#environment, LOG_ENCODING: "json" },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#log += chunk.toString();
      });
    }
    // The limit is two minutes: on a busy machine, six processes may need one minute to start.
    for (let attempt = 0; attempt < 2_400; attempt++) {
      if (!this.isRunning) {
        throw new Error(`${this.name} ended:\n${this.#log}`);
      }
      try {
        if (await this.isHealthy(this.#healthUrl)) {
          return;
        }
      } catch {
        // The process does not listen yet.
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${this.name} is not healthy:\n${this.#log}`);
  }

  /** Rejects, or resolves with false, while the process is not healthy. */
  protected async isHealthy(url: string): Promise<boolean> {
    // The Origin is for the admin API, because fetch sends Sec-Fetch-Mode, as browsers do.
    return (await fetch(url, { headers: { Origin: new URL(url).origin } })).ok;
  }

  /**
   * Stops every thread, as a loss of power does: from now on the process answers no request. System calls that have
   * begun are still completed. Works only on Linux.
   */
  async halt(): Promise<void> {
    const { pid } = this;
    if (pid === 0) {
      return;
    }
    process.kill(pid, "SIGSTOP");
    while (!threadStates(pid).every((state) => haltedStates.has(state))) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) {
      return null;
    }
    const closed = once(child, "close");
    child.kill(signal);
    const [code] = (await closed) as [number | null];
    return code;
  }
}

/**
 * States of a thread that is stopped, a zombie, or waiting for the disk: a thread in the last state stops before its
 * call returns.
 */
const haltedStates: ReadonlySet<string> = new Set(["T", "Z", "D"]);

/** The state letters from /proc; threads that have ended are left out. */
function threadStates(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).flatMap((task) => {
    try {
      const [, state = ""] = /^State:\s+(\S)/m.exec(readFileSync(`${tasks}/${task}/status`, "utf8")) ?? [];
      return [state];
    } catch {
      return [];
    }
  });
}
