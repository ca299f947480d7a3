import { readdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { processUsage } from "../e2e/measure/process-usage.ts";

/** Memory and open files of a process at one moment. */
export interface ProcessSample {
  readonly rssBytes: number;
  readonly openFiles: number;
  /** Processor seconds since the start of the process. */
  readonly cpuSeconds: number;
}

/** @throws Error when there is no such process. Works only on Linux */
export function sampleProcess(pid: number): ProcessSample {
  const { rssBytes, cpuSeconds } = processUsage(pid);
  return { rssBytes, cpuSeconds, openFiles: readdirSync(`/proc/${pid}/fd`).length };
}

/** Bytes of the files in a folder; files that disappear meanwhile do not count. */
export async function filesBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found?.isFile() === true) {
      bytes += found.size;
    }
  }
  return bytes;
}
