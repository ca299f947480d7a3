import { existsSync, readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { HouseProcess } from "../../src/house/house-process.ts";

const mebibyte = 1024 * 1024;

/** Memory that a process holds, in MiB; undefined where the system has no /proc. */
function residentMiB(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) {
    return undefined;
  }
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, "utf8")) ?? [];
  return (Number(kilobytes) * 1024) / mebibyte;
}

/** Requirements of a process while it gets bad input. */
export interface Unharmed {
  readonly process: () => HouseProcess;
  /** A good request; throws unless it is answered as it should be. */
  readonly good: () => Promise<unknown>;
  /** How much more memory it may hold after all of it. */
  readonly maxGrowthMiB: number;
}

/** Inside a `describe`: after each test the same process answers a good request, and in the end it has not swollen. */
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
      // The web server tells there of each request that it answered with 5xx, as the public model does.
      .filter((line) => !line.includes('"logger":"http.log.error"'));
    expect(faults).toEqual([]);
  });
}
