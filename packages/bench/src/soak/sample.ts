import { readdirSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { processUsage } from "../e2e/measure/process-usage.ts";

/** What a process holds at a moment. */
export interface ProcessSample {
  readonly rssBytes: number;
  readonly openFiles: number;
  /** Since its start. */
  readonly cpuSeconds: number;
}

/** @throws Error when there is no such process. Linux only */
export function sampleProcess(pid: number): ProcessSample {
  const { rssBytes, cpuSeconds } = processUsage(pid);
  return { rssBytes, cpuSeconds, openFiles: readdirSync(`/proc/${pid}/fd`).length };
}

/** Bytes of all files in a folder; those that go meanwhile do not count. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}
