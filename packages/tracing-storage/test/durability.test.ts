import { once } from "node:events";
import { copyFile, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ask, askUntil, makeFolder, removeFolder, runToEnd, startStorage } from "./running-storage.ts";

let folder: string;

beforeEach(async () => {
  folder = await makeFolder();
});

afterEach(async () => {
  await removeFolder(folder);
});

test("what was acknowledged survives SIGKILL in the middle of inserts, and is there once", async () => {
  // `pnpm --filter tracing-storage run kill-rounds` does a hundred.
  const rounds = Number(process.env.KILL_ROUNDS ?? 4);
  const perRound = 8;
  const acknowledged = new Set<number>();
  // A batch whose answer was lost by the kill is sent again with its token, like the collector's writer does.
  const again: number[] = [];
  let next = 0;
  for (let round = 1; round <= rounds; round++) {
    const storage = await startStorage(folder);
    await ask(
      storage.url,
      "CREATE TABLE IF NOT EXISTS t (batch UInt32, n UInt32) ENGINE = MergeTree ORDER BY n " +
        "SETTINGS non_replicated_deduplication_window = 10000",
    );
    const writeUntilKilled = async () => {
      for (;;) {
        const batch = again.shift() ?? next++;
        const query = `INSERT INTO t SETTINGS insert_deduplication_token = 'b${batch}' FORMAT CSV`;
        const body = Array.from({ length: 500 }, (_, n) => `${batch},${n}\n`).join("");
        try {
          const response = await fetch(`${storage.url}/?query=${encodeURIComponent(query)}`, {
            method: "POST",
            body,
          });
          expect(response.status).toBe(200);
        } catch (error) {
          again.push(batch);
          expect(error).toBeInstanceOf(TypeError);
          return;
        }
        acknowledged.add(batch);
        if (acknowledged.size === round * perRound) {
          storage.process.kill("SIGKILL");
        }
      }
    };
    await Promise.all([writeUntilKilled(), writeUntilKilled(), writeUntilKilled()]);
    await storage.kill();
  }
  const storage = await startStorage(folder);
  const stored = await ask(storage.url, "SELECT batch, count() FROM t GROUP BY batch ORDER BY batch");
  const counts = new Map(stored.split("\n").map((line) => line.split("\t").map(Number) as [number, number]));
  expect([...counts.values()].filter((count) => count !== 500)).toEqual([]);
  expect([...acknowledged].filter((batch) => !counts.has(batch))).toEqual([]);
  expect(acknowledged.size).toBeGreaterThanOrEqual(rounds * perRound);
  expect(await storage.stop()).toBe(0);
}, 1_200_000);

test("a block is stored when it comes again, though the process was killed between its token and its part's name", async () => {
  const insert = "INSERT INTO t SETTINGS insert_deduplication_token = 'one' VALUES (1)";
  const killed = await startStorage(folder);
  await ask(
    killed.url,
    "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 10",
  );
  await ask(killed.url, insert);
  const path = await ask(killed.url, "SELECT path FROM system.parts WHERE table = 't' AND active");
  await killed.kill();
  // The state shortly before the rename: `strace -e inject=rename:error=EIO:signal=SIGKILL:when=1` leaves this.
  await rename(path, join(dirname(path), "tmp_insert_all_1_1_0"));
  const storage = await startStorage(folder);
  expect(await ask(storage.url, "SELECT count() FROM t")).toBe("0");
  for (let time = 0; time < 2; time++) {
    await ask(storage.url, insert);
  }
  expect(await ask(storage.url, "SELECT count() FROM t")).toBe("1");
  await storage.stop();
});

test("parts are merged in the background, and what the spool held is cleared at the next start", async () => {
  const storage = await startStorage(folder);
  await ask(storage.url, "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a");
  for (let part = 0; part < 12; part++) {
    await ask(storage.url, `INSERT INTO t VALUES (${part})`);
  }
  await askUntil(
    storage.url,
    "SELECT count() > 0 FROM system.parts WHERE table = 't' AND active AND level > 0",
    "1",
  );
  expect(await ask(storage.url, "SELECT count(), sum(a) FROM t")).toBe("12\t66");
  await storage.stop();
  await writeFile(join(folder, "spool", "left-over"), "x");
  await (await startStorage(folder)).stop();
  expect(await readdir(join(folder, "spool"))).toEqual([]);
});

describe("a start that cannot be", () => {
  test("folder in use: one line, exit code 1, and the first goes on", async () => {
    const first = await startStorage(folder);
    const second = await runToEnd(folder);
    expect(second.exitCode).toBe(1);
    expect(second.output.trim().split("\n")).toHaveLength(1);
    expect(second.output).toContain(`data folder ${folder} is in use by process ${first.process.pid}`);
    expect(await ask(first.url, "SELECT 1")).toBe("1");
    expect(await first.stop()).toBe(0);
  });

  test("a file in the folder's place", async () => {
    const path = join(folder, "file");
    await writeFile(path, "");
    const { exitCode, output } = await runToEnd(path);
    expect([exitCode, output.trim().split("\n").length]).toEqual([1, 1]);
    expect(output).toContain("is a file, not a folder");
  });

  test("a damaged table", async () => {
    const storage = await startStorage(folder);
    await ask(storage.url, "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a");
    await storage.stop();
    const store = join(folder, "engine", "store");
    const found = (await readdir(store, { recursive: true })).find((name) => name.endsWith("t.sql"));
    const path = join(store, found ?? "");
    await copyFile(path, join(folder, "copy.sql"));
    await writeFile(path, "damage");
    const { exitCode, output } = await runToEnd(folder);
    expect(exitCode).toBe(1);
    expect(output).toContain(`the engine cannot open the data folder ${folder}`);
    await copyFile(join(folder, "copy.sql"), path);
    expect(await (await startStorage(folder)).stop()).toBe(0);
  });

  test("a taken port; the folder is free again", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { exitCode, output } = await runToEnd(folder, `--storage.http.host-port=127.0.0.1:${port}`);
    server.close();
    expect([exitCode, output.trim().split("\n").length]).toEqual([1, 1]);
    expect(output).toContain(`address 127.0.0.1:${port} is taken`);
    await expect(readFile(join(folder, "lock"))).rejects.toThrow("ENOENT");
  });

  test("a lock left by a killed process is taken over", async () => {
    const first = await startStorage(folder);
    await first.kill();
    const second = await startStorage(folder);
    expect((await readFile(join(folder, "lock"), "utf8")).trim()).toBe(String(second.process.pid));
    await second.stop();
    await rm(join(folder, "spool"), { recursive: true });
  });
});
