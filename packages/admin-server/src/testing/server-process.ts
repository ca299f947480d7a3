import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { testedProgram } from "lifecycle/testing";

const program = testedProgram(fileURLToPath(new URL("../../bin/server.ts", import.meta.url)));

/** For tests: `server <args>` as a separate process. */
export class ServerProcess {
  readonly child: ChildProcess;
  /** Messages of the log so far. */
  readonly lines: string[] = [];
  /** Resolves with the exit code, or the signal. */
  readonly exit: Promise<number | string>;
  stdout = "";
  stderr = "";
  readonly #onLine = new Set<() => void>();

  /**
   * @param environment replaces this process's environment, except PATH and HOME; by default there are no worker
   * threads. @param folder working folder; by default this process's working folder
   */
  constructor(args: readonly string[], environment: Record<string, string> = {}, folder?: string) {
    const { PATH = "", HOME = "" } = process.env;
    this.child = spawn(process.execPath, [program, ...args], {
      // Data beside the config, so that no test writes into the home folder.
      env: {
        PATH,
        HOME,
        XDG_DATA_HOME: `${environment.XDG_CONFIG_HOME ?? "."}/data`,
        SERVER_WORKERS: "0",
        // No test may change whom this machine trusts.
        SERVER_SKIP_INSTALL_TRUST: "1",
        ...environment,
      },
      stdio: ["pipe", "pipe", "pipe"],
      ...(folder === undefined ? {} : { cwd: folder }),
    });
    this.child.stdout?.on("data", (chunk) => {
      this.stdout += String(chunk);
    });
    if (this.child.stderr !== null) {
      createInterface(this.child.stderr).on("line", (line) => this.#take(line));
    }
    this.exit = once(this.child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  }

  /** Waits until the log has a message that matches. @returns its first group, else the message */
  async logged(pattern: RegExp): Promise<string> {
    for (;;) {
      const match = this.lines.map((line) => pattern.exec(line)).find((each) => each !== null);
      if (match) {
        return match[1] ?? match[0];
      }
      await Promise.race([
        new Promise<void>((resolve) => this.#onLine.add(resolve)),
        this.exit.then((code) => {
          throw new Error(`exited with ${code} before it logged ${pattern}:\n${this.stderr}`);
        }),
      ]);
    }
  }

  /** Address of the admin endpoint, once the server runs. */
  async adminUrl(): Promise<string> {
    await this.logged(/ runs$/);
    return `http://${await this.logged(/^admin endpoint on (\S+)$/)}`;
  }

  /** Address of the first site. */
  async site(): Promise<string> {
    return `http://${await this.logged(/^serving HTTP on (\S+)$/)}`;
  }

  #take(line: string): void {
    this.stderr += `${line}\n`;
    try {
      this.lines.push((JSON.parse(line) as { msg: string }).msg);
    } catch {
      this.lines.push(line);
    }
    for (const wake of this.#onLine) {
      wake();
    }
    this.#onLine.clear();
  }
}
