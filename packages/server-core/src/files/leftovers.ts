import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Path where this process writes a file before it replaces `path`. */
export function temporaryPath(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/**
 * Removes what processes that were killed left beside a file when they wrote to {@link temporaryPath}. A file of this
 * process or of one that runs stays. Failures do not matter: another process may have been first.
 */
export async function removeLeftovers(path: string): Promise<void> {
  const start = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch(() => []);
  const left = names.filter((name) => {
    const owner = name.startsWith(start) ? /^(\d+)\.tmp$/.exec(name.slice(start.length))?.[1] : undefined;
    return owner !== undefined && Number(owner) !== process.pid && !isRunning(Number(owner));
  });
  await Promise.allSettled(left.map((name) => rm(join(dirname(path), name))));
}
