import { readdirSync, readFileSync } from "node:fs";

/** Usage of a process and all its descendants. */
export interface ProcessUsage {
  /** Processor seconds in user and system mode since the start, including ended children. */
  readonly cpuSeconds: number;
  /** Resident memory now, in bytes. */
  readonly rssBytes: number;
  /** Highest resident memory since the start; for several processes, the sum of their highest values. */
  readonly rssPeakBytes: number;
}

/** Linux reports processor time in hundredths of a second, on every architecture that Node supports. */
const ticksPerSecond = 100;

/**
 * Usage of a process and its descendants. Works only on Linux.
 * @throws Error when there is no such process. Source: Linux manual, proc_pid_stat(5), proc_pid_status(5)
 */
export function processUsage(pid: number): ProcessUsage {
  const tree = [pid, ...descendantsOf(pid)];
  let ticks = 0;
  let rssBytes = 0;
  let rssPeakBytes = 0;
  for (const member of tree) {
    try {
      ticks += cpuTicks(member);
      const status = readFileSync(`/proc/${member}/status`, "utf8");
      rssBytes += kilobytes(status, "VmRSS") * 1024;
      rssPeakBytes += kilobytes(status, "VmHWM") * 1024;
    } catch (error) {
      if (member === pid) {
        throw new Error(`process ${pid} is not there`, { cause: error });
      }
      // A child has ended meanwhile; its parent now has its time.
    }
  }
  return { cpuSeconds: ticks / ticksPerSecond, rssBytes, rssPeakBytes };
}

/** Processor time of the process and of its ended children. */
function cpuTicks(pid: number): number {
  const fields = statFields(pid);
  // utime, stime, cutime, cstime are fields 14 to 17 of the manual.
  return [14, 15, 16, 17].reduce((sum, field) => sum + Number(fields[field - 3]), 0);
}

/** The fields of the file from the third on; the second field, the name, may contain spaces and brackets. */
function statFields(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
}

function descendantsOf(pid: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) {
      continue;
    }
    try {
      const parent = Number(statFields(entry)[4 - 3]);
      const siblings = childrenOf.get(parent);
      if (siblings === undefined) {
        childrenOf.set(parent, [Number(entry)]);
      } else {
        siblings.push(Number(entry));
      }
    } catch {
      // The process ended after the listing and before this read.
    }
  }
  const all: number[] = [];
  const pending = [pid];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const children = childrenOf.get(next) ?? [];
    all.push(...children);
    pending.push(...children);
  }
  return all;
}
