import { existsSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { TestedProcess } from "../../src/all-processes/tested-process.ts";

const mebibyte = 1024 * 1024;

/** Memory of a process in MiB; undefined when the system has no /proc. */
function residentMiB(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) {
    return undefined;
  }
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8")) ?? [];
  return (Number(kilobytes) * 1024) / mebibyte;
}

/** Requirements for a process that receives bad input. */
export interface Unharmed {
  readonly process: () => TestedProcess;
  /** Sends a good request; throws unless the answer is right. */
  readonly good: () => Promise<unknown>;
  /** Most MiB by which the memory may grow during all tests. */
  readonly maxGrowthMiB: number;
}

/**
 * For use inside a `describe`: after each test the same process answers a good request, and at the end its memory has
 * not grown too much.
 */
export function staysUnharmed({ process, good, maxGrowthMiB }: Unharmed): void {
  let pid = 0;
  let before: number | undefined;

  beforeAll(async () => {
    await good();
    pid = process().pid;
    before = residentMiB(pid);
  });

  afterEach(async () => {
    await good();
    expect(process().pid, "the same process").toBe(pid);
  });

  afterAll(() => {
    const after = residentMiB(pid);
    if (before !== undefined && after !== undefined) {
      expect(after - before, `MiB more than ${before.toFixed(0)}`).toBeLessThan(maxGrowthMiB);
    }
    const faults = process()
      .log.split("\n")
      .filter((line) => /"level":"(error|fatal)"/.test(line))
      // This logger has an entry for each request that the web server answered with 5xx, as in the public model.
      .filter((line) => !line.includes('"logger":"http.log.error"'));
    expect(faults).toEqual([]);
  });
}
