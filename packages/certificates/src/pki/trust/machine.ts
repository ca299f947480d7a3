import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { messageOf } from "server-core/errors";

/** How long one program may take: refreshing a big store takes seconds. */
const programTimeoutMs = 120_000;
const maxOutputBytes = 4 * 1024 * 1024;

/** The facts about the machine that trust stores need. */
export interface Machine {
  /** Chooses the stores that there can be. */
  readonly platform: NodeJS.Platform;
  /** For `PATH`, `HOME` and `JAVA_HOME`, which say where stores and their programs are. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Below it stand the folders of the system: "/" outside tests and images. */
  readonly root: string;
  /** Whether files of the system can be changed without `sudo`. */
  readonly privileged: boolean;
  /** Whether `sudo` can ask somebody at a terminal for a password. */
  readonly interactive: boolean;
}

/** The machine that this process runs on. */
export function thisMachine(interactive: boolean): Machine {
  return {
    platform: process.platform,
    environment: process.env,
    root: "/",
    privileged: process.getuid?.() === 0,
    interactive,
  };
}

/** Full path of a program; undefined when it is not there. */
export async function findProgram(machine: Machine, name: string): Promise<string | undefined> {
  const folders = (machine.environment.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  // Programs of the administrator are not on everybody's path.
  for (const folder of [...folders, join(machine.root, "usr/sbin"), join(machine.root, "sbin")]) {
    const path = join(folder, machine.platform === "win32" ? `${name}.exe` : name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // the next one
    }
  }
  return undefined;
}

/** Output and exit of a program. */
export interface ProgramResult {
  /** 0 when all went well. */
  readonly code: number;
  /**
   * Standard output, then standard error; the reason of the failure where both are empty. A program with more
   * than 4 MiB is ended.
   */
  readonly output: string;
}

/** Runs a program; one that cannot be started ends with 127. @param input for its standard input */
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
 * Runs a program that changes the system, through `sudo` where that is needed and there. Without anybody at a terminal
 * sudo does not ask for a password, but fails.
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
  // sudo asks at the terminal itself, not at standard input.
  return runProgram(machine, sudo, [...(machine.interactive ? [] : ["-n"]), "--", program, ...args], input);
}
