import { spawn } from "node:child_process";

export interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

/** Runs a program to its end. @returns status null when it is not there or did not end within `timeoutMs` */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, timeoutMs = 60_000 }: { readonly cwd?: string; readonly timeoutMs?: number } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      ...(cwd !== undefined && { cwd }),
      stdio: ["ignore", "ignore", "pipe"],
      timeout: timeoutMs,
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on("error", (error) => resolve({ status: null, stderr: error.message }));
    child.on("close", (status) => resolve({ status, stderr }));
  });
}
