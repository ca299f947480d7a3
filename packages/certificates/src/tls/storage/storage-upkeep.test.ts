import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "lifecycle";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { selfSigned } from "../../testing/self-signed.ts";
import { FileSystemStorage } from "./file-system.ts";
import { checkStorage, cleanStorage, StorageUpkeep } from "./storage-upkeep.ts";

const dayMs = 24 * 3_600_000;
let folder: string;
let storage: FileSystemStorage;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "upkeep-"));
  storage = new FileSystemStorage(join(folder, "root"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, endsInDays: number): Promise<void> {
  const { cert } = await selfSigned("", { names: [name], fromDays: -100, toDays: endsInDays });
  for (const [ending, text] of [
    ["crt", cert],
    ["key", "key"],
    ["json", "{}"],
  ]) {
    await storage.store(`certificates/ca/${name}/${name}.${ending}`, text ?? "");
  }
}

test("certificates that were over two weeks ago go, with their keys; others stay", async () => {
  await put("old", -15);
  await put("late", -13);
  await put("good", 10);
  await storage.store("certificates/ca/odd/odd.crt", "nothing");
  await storage.store("pki/authorities/local/root.crt", "mine");
  expect(await cleanStorage(storage, dayMs)).toBe(1);
  expect((await storage.list("")).map((key) => key.replace(/.*\//, "")).sort()).toEqual([
    "good.crt",
    "good.json",
    "good.key",
    "last_clean.json",
    "late.crt",
    "late.json",
    "late.key",
    "odd.crt",
    "root.crt",
  ]);
});

test("one of several instances cleans in each interval", async () => {
  await put("old", -15);
  const counts = await Promise.all([cleanStorage(storage, dayMs), cleanStorage(storage, dayMs)]);
  expect(counts.sort()).toEqual([0, 1]);
  await put("older", -20);
  expect(await cleanStorage(storage, dayMs)).toBe(0);
  expect(await cleanStorage(storage, dayMs, Date.now() + dayMs)).toBe(1);
});

test("a storage that cannot be written is found out before it is needed", async () => {
  await checkStorage(storage);
  expect(await storage.list("")).toEqual([]);
  await writeFile(join(folder, "file"), "");
  await expect(checkStorage(new FileSystemStorage(join(folder, "file/below")))).rejects.toThrow(
    /^the storage is no good for certificates: .*ENOTDIR/,
  );
});

test("a config that is changed soon leaves cleaning to the next one", () => {
  vi.useFakeTimers();
  try {
    const list = vi.spyOn(storage, "list").mockResolvedValue([]);
    const log = createLogger({ name: "test", level: "error", encoding: "json" });
    const [first, next] = [new StorageUpkeep(log), new StorageUpkeep(log)];
    first.cleanEvery(dayMs, [storage]);
    vi.advanceTimersByTime(30_000);
    first.close();
    next.cleanEvery(dayMs, [storage, storage]);
    vi.advanceTimersByTime(59_999);
    expect(list).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(list).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(dayMs);
    expect(list).toHaveBeenCalledTimes(2);
    next.close();
  } finally {
    vi.useRealTimers();
  }
});
