import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Set-up of a whole run of tests. All temporary folders are inside one, which is deleted at the end of the
 * run, so that a failed or stopped test leaves nothing behind.
 */
export default function oneTemporaryFolder(): () => void {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), "tests-"));
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) {
      delete process.env.TMPDIR;
    } else {
      process.env.TMPDIR = before;
    }
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } catch (error) {
      process.stderr.write(`The tests left ${folder}: ${String(error)}\n`);
    }
  };
}
