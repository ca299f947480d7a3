import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** A start that the build runs, so that even the first start of an installed program has compiled code. */
export interface WarmStart {
  /** The arguments. @param folder an empty home folder, deleted after the start */
  args(folder: string): readonly string[];
  /** Programs whose compiled code is shipped: the program itself, and its worker programs. */
  readonly keeps: readonly string[];
}

const maxWaitMs = 120_000;
const lookMs = 100;

/** True when the folder has compiled code of all these programs. */
function isKept(distFolder: string, programs: readonly string[]): boolean {
  const folder = join(distFolder, ".compile-cache");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return programs.every((program) => names.some((name) => name.endsWith(`-${program}`)));
}

/** Runs a built program until its compiled code is kept. A failure is printed, and the build continues. */
export async function warmStart(file: string, { args, keeps }: WarmStart): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "warm-start-"));
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [file, ...args(home)], {
    cwd: home,
    env: { PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (piece: Buffer) => {
    log += piece.toString();
  });
  const ended = once(child, "close");
  try {
    const until = Date.now() + maxWaitMs;
    while (!isKept(dirname(file), keeps) && child.exitCode === null && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
    if (!isKept(dirname(file), keeps)) {
      console.warn(`${basename(file)}: its first start will compile its code\n${log}`);
    }
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true });
  }
}
