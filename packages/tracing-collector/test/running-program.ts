// One of our programs as a child process, for tests: its log lines, its end.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { testedProgram } from "lifecycle/testing";

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [name: string]: unknown;
}

export class RunningProgram {
  readonly child: ChildProcess;
  readonly lines: LogLine[] = [];
  readonly exit: Promise<number | null>;
  #rest = "";
  #waiting: (() => void)[] = [];

  /** @param name of the package and of its program, such as `tracing-storage` */
  constructor(name: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const program = testedProgram(fileURLToPath(new URL(`../../${name}/bin/${name}.ts`, import.meta.url)));
    this.child = spawn(process.execPath, [program, "--log-encoding", "json", ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ...environment },
    });
    // A failed test must leave nothing running.
    const kill = () => this.child.kill("SIGKILL");
    process.once("exit", kill);
    this.exit = once(this.child, "close").then(([code]) => {
      process.off("exit", kill);
      this.#wake();
      return code as number | null;
    });
    this.child.stderr?.on("data", (chunk: Buffer) => {
      const parts = (this.#rest + chunk.toString()).split("\n");
      this.#rest = parts.pop() ?? "";
      this.lines.push(...parts.map(asLogLine));
      this.#wake();
    });
  }

  /** The first line with this text, as soon as there is one. */
  async line(text: string): Promise<LogLine> {
    for (;;) {
      const found = this.lines.find(({ msg }) => msg.includes(text));
      if (found !== undefined) {
        return found;
      }
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`ended without "${text}": ${JSON.stringify(this.lines)}`);
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<number | null> {
    this.child.kill(signal);
    return await this.exit;
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) {
      wake();
    }
  }
}

/** Node's own output, when the program cannot be loaded, is no JSON. */
function asLogLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: "text", msg: text };
  }
}
