import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FileSystemStorage } from "./file-system.ts";

let folder: string;
let storage: FileSystemStorage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "storage-"));
  storage = new FileSystemStorage(join(folder, "root"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("values", () => {
  test("are stored, replaced, listed and deleted", async () => {
    expect(await storage.load("a/b/c.crt")).toBeUndefined();
    expect(await storage.list("a")).toEqual([]);
    await storage.store("a/b/c.crt", "one");
    await storage.store("a/b/c.crt", "two");
    await storage.store("a/d.key", Buffer.from("key"));
    expect(String(await storage.load("a/b/c.crt"))).toBe("two");
    expect(await storage.list("a")).toEqual(["a/b/c.crt", "a/d.key"]);
    await storage.delete("a/b");
    expect(await storage.list("a")).toEqual(["a/d.key"]);
    await storage.delete("a/b");
  });

  test("that are not to be trusted are read up to a limit", async () => {
    await storage.store("limited", "12345678");
    expect(String(await storage.load("limited", 8))).toBe("12345678");
    await expect(storage.load("limited", 7)).rejects.toThrow(/^loading limited below .*more than 7 bytes$/);
    expect(await storage.load("absent", 7)).toBeUndefined();
  });

  test("can be read by their owner only, and leave nothing half written", async () => {
    await storage.store("keys/k.key", "secret");
    const path = join(folder, "root", "keys");
    expect(((await stat(join(path, "k.key"))).mode & 0o777).toString(8)).toBe("600");
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe("700");
    expect(await readdir(path)).toEqual(["k.key"]);
  });

  test.each(["../x", "a/../../x", "a/./b", "a\0b"])("stay inside: %j", async (key) => {
    await expect(storage.store(key, "")).rejects.toThrow("leads out of the storage");
  });
});

describe("locks", () => {
  test("let one in after the other", async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      const unlock = await storage.lock("work");
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      await unlock();
    };
    await Promise.all([work(), work(), work()]);
    expect(most).toBe(1);
    expect(await storage.list("locks")).toEqual([]);
  });

  test("of an instance that died are taken over, by one of those who wait", async () => {
    const long = new Date(Date.now() - 60_000).toISOString();
    await mkdir(join(folder, "root/locks"), { recursive: true });
    await writeFile(join(folder, "root/locks/dead.lock"), JSON.stringify({ created: long, updated: long }));
    const order: string[] = [];
    const take = async () => {
      const unlock = await storage.lock("dead");
      order.push("in");
      await new Promise((resolve) => setImmediate(resolve));
      order.push("out");
      await unlock();
    };
    await Promise.all([take(), take(), take()]);
    expect(order).toEqual(["in", "out", "in", "out", "in", "out"]);
  });

  test("can be waited for no longer", async () => {
    const unlock = await storage.lock("busy");
    await expect(storage.lock("busy", AbortSignal.abort())).rejects.toThrow("abort");
    await unlock();
  });
});
