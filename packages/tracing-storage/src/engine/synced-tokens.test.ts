import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SyncedTokens } from "./synced-tokens.ts";

let engine: string;

beforeEach(() => {
  engine = mkdtempSync(join(tmpdir(), "synced-tokens-"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(engine, { recursive: true, force: true });
});

/** @returns folder of the table's tokens */
function table(name: string): string {
  const folder = join(engine, "store", name.slice(0, 3), name, "deduplication_logs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "deduplication_log_1.txt"), "");
  return folder;
}

const isSynced = (path: string) =>
  execFileSync("lsattr", ["-d", path], { encoding: "utf8" }).split(" ")[0]?.includes("S");

test("marks each table once, and looks again after one that went away meanwhile", async (context) => {
  const first = table("abc1");
  const tokens = new SyncedTokens(engine);
  if (!(await tokens.mark())) {
    context.skip("needs chattr, and a file system that has its S");
  }
  expect([isSynced(first), isSynced(join(first, "deduplication_log_1.txt"))]).toEqual([true, true]);
  const second = table("abc2");
  // chattr's error for a missing file.
  const says = "#!/bin/sh\necho 'chattr: No such file or directory while trying to stat x' >&2\nexit 1\n";
  writeFileSync(join(engine, "chattr"), says, { mode: 0o755 });
  vi.stubEnv("PATH", engine);
  expect(await tokens.mark()).toBe(false);
  vi.unstubAllEnvs();
  expect(await tokens.mark()).toBe(true);
  expect(isSynced(join(second, "deduplication_log_1.txt"))).toBe(true);
  // The second mark must not change the first folder again.
  execFileSync("chattr", ["-S", first]);
  expect(await tokens.mark()).toBe(true);
  expect(isSynced(first)).toBe(false);
});

test("gives up where there is no chattr", async () => {
  table("abc1");
  vi.stubEnv("PATH", engine);
  const tokens = new SyncedTokens(engine);
  expect(await tokens.mark()).toBe(false);
  vi.unstubAllEnvs();
  expect(await tokens.mark()).toBe(false);
});
