import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Path at which this process writes a file before it replaces `path`. */
export function temporaryPath(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

/**
 * Removes temporary files that killed processes left beside `path`. A file of this process or of another running
 * process stays. Failures are ignored: another process may have removed the file first.
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
