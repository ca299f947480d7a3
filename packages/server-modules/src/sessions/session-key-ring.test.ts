import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileSystemStorage } from "certificates/tls/storage/file-system";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SessionKeyRing } from "./session-key-ring.ts";
import { SharedWork } from "./shared-work.ts";

let folder: string;
let storage: FileSystemStorage;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "session-keys-"));
  storage = new FileSystemStorage(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const times = { rotateMs: 1_000, keepMs: 2_000 };
const ids = async (ring: SessionKeyRing, now: number, wanted = "") =>
  (await ring.keys(wanted, now)).keys.map(({ id }) => id);

test("keys are replaced in time, kept for a while, and shared by instances", async () => {
  const [a, b] = [new SessionKeyRing(storage, "x", times), new SessionKeyRing(storage, "x", times)];
  const [[first = ""], [same]] = await Promise.all([ids(a, 10_000), ids(b, 10_000)]);
  expect(same).toBe(first);
  expect((await a.keys("", 10_000)).keys[0]?.key).toHaveLength(32);
  const second = (await ids(a, 11_000))[0] ?? "";
  expect(await ids(a, 11_000)).toEqual([second, first]);
  // The other one finds it when a value sealed with it arrives, and not before its own time is over.
  expect(await ids(b, 10_999)).toEqual([first]);
  expect(await ids(b, 11_500, second)).toEqual([second, first]);
  const last = await ids(a, 13_500);
  expect(last.slice(1)).toEqual([second]);
});

test("damage costs the sessions, not the server", async () => {
  const [before] = await ids(new SessionKeyRing(storage, "x", times), 10_000);
  await writeFile(join(folder, "session_keys/x.json"), "{nothing");
  const after = await ids(new SessionKeyRing(storage, "x", times), 10_000);
  expect(after).toHaveLength(1);
  expect(after[0]).not.toBe(before);
});

test("a work is done by the first who asks, and the others get what came of it", async () => {
  const work = new SharedWork();
  expect(await work.ask("a")).toEqual({ doIt: true });
  const others = [work.ask("a"), work.ask("a")];
  work.settle("a", "done");
  expect(await Promise.all(others)).toEqual([
    { doIt: false, result: "done" },
    { doIt: false, result: "done" },
  ]);
  expect(await work.ask("a")).toEqual({ doIt: false, result: "done" });
  expect(await work.ask("b")).toEqual({ doIt: true });
  const other = work.ask("b");
  work.settle("b", undefined);
  expect(await other).toEqual({ doIt: false, result: undefined });
  expect(await work.ask("b")).toEqual({ doIt: true });
});
