import { spawn } from "node:child_process";

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. @returns status null when it does not exist or did not end within `timeoutMs` */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, timeoutMs = 60_000 }: { readonly cwd?: string; readonly timeoutMs?: number } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...(cwd !== undefined && { cwd }),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on("error", (error) => resolve({ status: null, stdout, stderr: error.message }));
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}
