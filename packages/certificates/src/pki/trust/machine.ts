import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { messageOf } from "server-core/errors";

/** Timeout of one program in milliseconds. Updating a big store takes seconds. A slower program is stopped. */
const programTimeoutMs = 120_000;
const maxOutputBytes = 4 * 1024 * 1024;

/** The facts about the machine that trust stores need. */
export interface Machine {
  /** The operating system, which determines the possible stores. */
  readonly platform: NodeJS.Platform;
  /** Environment variables. `PATH`, `HOME` and `JAVA_HOME` are used to find the stores and their programs. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Root of the system's folders: "/" except in tests and images. */
  readonly root: string;
  /** True when files of the system can be changed without `sudo`. */
  readonly privileged: boolean;
  /** True when `sudo` can ask somebody at a terminal for a password. */
  readonly interactive: boolean;
}

export function thisMachine(interactive: boolean): Machine {
  return {
    platform: process.platform,
    environment: process.env,
    root: "/",
    privileged: process.getuid?.() === 0,
    interactive,
  };
}

/** Full path of a program; undefined when it does not exist. */
export async function findProgram(machine: Machine, name: string): Promise<string | undefined> {
  const folders = (machine.environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  // Programs of the administrator are not on everybody's path.
  for (const folder of [...folders, join(machine.root, "usr/sbin"), join(machine.root, "sbin")]) {
    const path = join(folder, machine.platform === "win32" ? `${name}.exe` : name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // the next folder may have the program
    }
  }
  return undefined;
}

/** Output and exit of a program. */
export interface ProgramResult {
  /** Exit code of the program; 0 for success. */
  readonly code: number;
  /**
   * Standard output, followed by standard error; if both are empty, the reason of the failure. A program that writes
   * more than 4 MiB is ended.
   */
  readonly output: string;
}

/**
 * Runs a program. For a program that cannot be started, or that is stopped, the exit code is 127. @param input text for
 * the program's standard input
 */
export function runProgram(
  machine: Machine,
  program: string,
  args: readonly string[],
  input = "",
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...args],
      {
        env: machine.environment as NodeJS.ProcessEnv,
        timeout: programTimeoutMs,
        maxBuffer: maxOutputBytes,
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 127;
        resolve({ code, output: `${stdout}${stderr}` || (error === null ? "" : messageOf(error)) });
      },
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/**
 * Runs a program that changes the system; it uses `sudo` when the user is not root and `sudo` exists. Without a
 * terminal, sudo fails and does not ask for a password.
 */
export async function runPrivileged(
  machine: Machine,
  program: string,
  args: readonly string[],
  input = "",
): Promise<ProgramResult> {
  const sudo = machine.privileged ? undefined : await findProgram(machine, "sudo");
  if (sudo === undefined) {
    return runProgram(machine, program, args, input);
  }
  // sudo reads the password from the terminal, not from standard input.
  return runProgram(machine, sudo, [...(machine.interactive ? [] : ["-n"]), "--", program, ...args], input);
}
