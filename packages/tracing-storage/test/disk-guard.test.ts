import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DiskGuard } from "../src/engine/disk-guard.ts";
import { ask, makeFolder, type RunningStorage, removeFolder, startStorage } from "./running-storage.ts";

describe("DiskGuard", () => {
  test("refuses below the limit, takes again with a tenth more, and says so at each change", async () => {
    let free = 1000;
    const said: string[] = [];
    const guard = new DiskGuard({
      folder: "/d",
      minFreeBytes: 500,
      readFreeBytes: async () => free,
      onChange: (_isFull, text) => said.push(text),
    });
    const seen: boolean[] = [];
    for (free of [500, 499, 501, 549, 550, 501, 0]) {
      seen.push(await guard.look());
    }
    expect(seen).toEqual([false, true, true, true, false, false, true]);
    await expect(guard.check()).rejects.toMatchObject({ code: 243 });
    expect(said.map((text) => text.replace(/^\d+ bytes free on the disk of \/d.*: /, ""))).toEqual([
      "rows are refused",
      "rows are taken again",
      "rows are refused",
    ]);
  });
});

/** Mounting a disk needs root, and a system that lets root mount. */
function mountSmallDisk(path: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=160m", "tmpfs", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const disk = await makeFolder();
const isMounted = mountSmallDisk(disk);

describe.skipIf(!isMounted)("a small disk (skipped where tmpfs cannot be mounted: needs root)", () => {
  let storage: RunningStorage;
  const data = join(disk, "data");
  const flags = ["--storage.min-free-bytes=24MiB", "--admin.http.host-port=127.0.0.1:0"];

  beforeAll(async () => {
    await mkdir(data);
    storage = await startStorage(data, ...flags);
    await ask(
      storage.url,
      "CREATE TABLE t (block UInt32, x String CODEC(NONE)) ENGINE = MergeTree ORDER BY block " +
        "SETTINGS fsync_after_insert = 1, non_replicated_deduplication_window = 1000",
    );
  });
  afterAll(async () => {
    await storage.stop();
    execFileSync("umount", [disk]);
    await removeFolder(disk);
  });

  const rows = 20;
  const block = (number: number) =>
    Array.from({ length: rows }, () => `${number},${"x".repeat(100_000)}\n`).join("");
  async function insert(number: number): Promise<number> {
    const search = new URLSearchParams({
      query: "INSERT INTO t FORMAT CSV",
      insert_deduplication_token: String(number),
    });
    const response = await fetch(`${storage.url}/?${search}`, { method: "POST", body: block(number) });
    const code = Number(response.headers.get("x-clickhouse-exception-code") ?? 0);
    expect([0, 243]).toContain(code);
    expect(response.status).toBe(code === 0 ? 200 : 503);
    await response.arrayBuffer();
    return code;
  }
  const stored = () =>
    ask(
      storage.url,
      "SELECT arraySort(groupUniqArray((block, c))) FROM (SELECT block, count() c FROM t GROUP BY block) FORMAT JSONCompactEachRow",
    );

  test("inserts are refused before it is full, all that was taken is there, and it goes on with room", {
    timeout: 180_000,
  }, async () => {
    let taken = 0;
    while ((await insert(taken)) === 0) {
      taken++;
    }
    expect(taken).toBeGreaterThan(10);
    const all = () => JSON.stringify([Array.from({ length: taken }, (_, number) => [number, rows])]);
    expect(await stored()).toBe(all());
    // Another program takes the rest of the space: reading continues, even after a restart.
    await writeFile(join(disk, "other"), Buffer.alloc(200 * 1024 * 1024)).catch(
      (error: NodeJS.ErrnoException) => {
        expect(error.code).toBe("ENOSPC");
      },
    );
    // A merge may have freed space meanwhile: rows that are accepted then must be stored, too.
    while ((await insert(taken)) === 0) {
      taken++;
    }
    expect(await stored()).toBe(all());
    await storage.kill();
    await rm(join(disk, "other"));
    storage = await startStorage(data, ...flags);
    expect(await stored()).toBe(all());
    while ((await insert(taken)) === 0) {
      taken++;
    }
    // Statements that free space are never refused.
    await ask(storage.url, "TRUNCATE TABLE t SYNC");
    while ((await insert(taken)) === 243) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(await stored()).toBe(JSON.stringify([[[taken, rows]]]));
  });
});
