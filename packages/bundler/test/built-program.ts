import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** Path of the built program of a process. */
export function builtFile(packageName: string, program = packageName): string {
  return fileURLToPath(new URL(`../../${packageName}/dist/${program}.cjs`, import.meta.url));
}

/** True when all programs are built, by `pnpm build`, or by `npm test` before the tests. */
export const isBuilt = ["tracing-agent", "tracing-collector", "tracing-query", "tracing-storage"]
  .map((name) => builtFile(name))
  .concat(builtFile("admin-server", "server"), builtFile("tracing-cli", "tracing"))
  .every((file) => existsSync(file));

/** Runs a built program to its end. @returns its output. @throws when the program fails */
export async function output(file: string, folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], { cwd: folder });
  return stdout;
}

/** A running built program. */
export class BuiltProgram {
  readonly child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #log = "";
  #seen = Promise.withResolvers<void>();

  /** @param folder working folder, outside of the program's own folder */
  constructor(
    file: string,
    folder: string,
    args: readonly string[],
    environment: Record<string, string> = {},
  ) {
    this.child = spawn(process.execPath, [file, ...args], {
      cwd: folder,
      env: { ...process.env, LOG_ENCODING: "json", ...environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const kill = () => this.child.kill("SIGKILL");
    process.once("exit", kill);
    this.#exit = once(this.child, "close").then(() => process.off("exit", kill));
    if (this.child.stderr !== null) {
      createInterface(this.child.stderr).on("line", (line) => {
        this.#log += `${line}\n`;
        this.#seen.resolve();
        this.#seen = Promise.withResolvers();
      });
    }
  }

  /** Waits for a line of the log. @throws with the whole log when the program ends before */
  async logged(text: string): Promise<void> {
    const ended = this.#exit.then(() => {
      throw new Error(`ended before it logged "${text}":\n${this.#log}`);
    });
    while (!this.#log.includes(text)) {
      await Promise.race([this.#seen.promise, ended]);
    }
  }

  /** Sends SIGTERM, and waits for the end. @returns the exit code */
  async stop(): Promise<number | null> {
    this.child.kill("SIGTERM");
    await this.#exit;
    return this.child.exitCode;
  }
}
