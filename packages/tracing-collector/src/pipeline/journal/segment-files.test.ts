import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { quietLog } from "../../../test/receiver-fixture.ts";
import { CommitGroup } from "./commit-group.ts";
import type { Journal, JournalSettings } from "./journal.ts";
import { openJournalFolder } from "./open-journal-folder.ts";
import { quarantineFolder } from "./sealed-segment.ts";
import { SegmentFiles } from "./segment-files.ts";
import { segmentHeaderBytes } from "./segment-format.ts";

/** Output of `journal-until-killed.ts`. */
const killedLine = z.union([
  z.strictObject({ acknowledged: z.string() }),
  z.strictObject({ token: z.string(), text: z.string() }),
]);

let folder: string;
let open: Journal[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "segment-files-"));
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((journal) => journal.close()));
  await rm(folder, { recursive: true });
});

async function openJournal(settings: Partial<JournalSettings> = {}): Promise<Journal> {
  const journal = await openJournalFolder(
    {
      folder,
      sync: "always",
      maxBytes: 1_000_000,
      segmentRows: 1,
      segmentBytes: 1_000_000,
      segmentAgeMs: 1,
      busySegmentRows: 1_000_000,
      ...settings,
    },
    { committed() {} },
    quietLog,
  );
  open.push(journal);
  return journal;
}

const rows = (text: string) => ({ bytes: Buffer.from(text), count: 1 });

/** Appends rows, takes the segment and removes it. */
async function pass(journal: Journal, text: string): Promise<void> {
  await journal.append(rows(text));
  const segment = await journal.take();
  expect(await read(segment)).toBe(text);
  await journal.remove(segment!);
}

async function read(segment: Awaited<ReturnType<Journal["take"]>>): Promise<string | undefined> {
  return segment && Buffer.from((await segment.read(Buffer.alloc(segment.bytes))).bytes).toString();
}

async function files(suffix: string, place = folder): Promise<string[]> {
  return (await readdir(place)).filter((name) => name.endsWith(suffix));
}

describe("the file of a segment that storage has", () => {
  test("is the next one's, which has the rows of its own alone and counts by its file", async () => {
    const journal = await openJournal();
    await pass(journal, "x".repeat(5_000));
    const [spare] = await files(".spare");
    const { length } = await readFile(join(folder, spare!));
    expect([journal.bytes, journal.spareBytes]).toEqual([0, length]);
    await journal.append(rows("y".repeat(3_000)));
    const segment = await journal.take();
    expect(await files(".spare")).toEqual([]);
    expect((await readFile(segment!.path)).length).toBe(length);
    expect(segment?.keptBytes).toBe(length);
    expect([journal.bytes, journal.spareBytes]).toEqual([length, 0]);
    expect(await read(segment)).toBe("y".repeat(3_000));
    await journal.remove(segment!);
    expect(journal.bytes).toBe(0);
  });

  test("grows when the next one is larger", async () => {
    const journal = await openJournal();
    for (const bytes of [10, 1_000, 20_000]) {
      await pass(journal, "x".repeat(bytes));
    }
    expect(await files(".spare")).toHaveLength(1);
    expect(journal.spareBytes).toBeGreaterThan(20_000);
  });

  test("is cut when the next one is much smaller", async () => {
    const journal = await openJournal();
    await pass(journal, "x".repeat(20_000));
    await pass(journal, "small");
    expect(journal.spareBytes).toBeLessThan(100);
    const [spare] = await files(".spare");
    expect((await readFile(join(folder, spare!))).length).toBe(journal.spareBytes);
  });

  test("is one of three at most", async () => {
    const journal = await openJournal();
    for (let index = 0; index < 5; index++) {
      await journal.append(rows(`<${index}>`));
    }
    const taken = await Promise.all(Array.from({ length: 5 }, () => journal.take()));
    await Promise.all(taken.map((segment) => journal.remove(segment!)));
    expect(await files(".spare")).toHaveLength(3);
    expect(await files(".segment")).toEqual([]);
  });

  test.each([
    ["when writes are not synced", { sync: "interval" }],
    ["when it is large for the journal", { maxBytes: 6_000 }],
  ] as const)("is removed %s", async (_, settings) => {
    const journal = await openJournal(settings);
    await pass(journal, "x".repeat(1_000));
    expect([await files(".spare"), await files(".segment")]).toEqual([[], []]);
  });

  test("gives its room to spans that need it", async () => {
    const journal = await openJournal({ maxBytes: 100_000 });
    await pass(journal, "x".repeat(5_000));
    expect(journal.spareBytes).toBeGreaterThan(5_000);
    await journal.append(rows("y".repeat(98_000)));
    expect(journal.spareBytes).toBe(0);
    expect(await read(await journal.take())).toBe("y".repeat(98_000));
    await expect.poll(() => files(".spare")).toEqual([]);
  });

  test("is gone when the journal is closed", async () => {
    const journal = await openJournal();
    await pass(journal, "one");
    expect(await files(".spare")).toHaveLength(1);
    await journal.close();
    expect(await readdir(folder)).toEqual([quarantineFolder]);
  });

  test("is not needed: where it went away, there is a new one", async () => {
    const journal = await openJournal();
    await pass(journal, "one");
    const [spare] = await files(".spare");
    await rm(join(folder, spare!));
    await pass(journal, "two");
  });

  test("keeps what is set aside apart from what comes next", async () => {
    const journal = await openJournal();
    await pass(journal, "x".repeat(1_000));
    await journal.append(rows("refused"));
    await journal.quarantine((await journal.take())!);
    expect(await files(".spare")).toEqual([]);
    await pass(journal, "y".repeat(1_000));
    await journal.close();
    expect(await read(await (await openJournal()).take())).toBe("refused");
  });
});

test("a disk that is full: a used file still takes what fits it, and spares give their room back", async (context) => {
  const disk = join(folder, "disk");
  await mkdir(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", disk], { stdio: "ignore" });
  } catch {
    context.skip("needs the right to mount a small file system");
  }
  try {
    await fillDisk(disk);
  } finally {
    await open.pop()?.close();
    execFileSync("umount", [disk]);
  }
});

async function fillDisk(disk: string): Promise<void> {
  const place = join(disk, "journal");
  const journal = await openJournal({ folder: place, maxBytes: 1e9 });
  for (const letter of ["a", "b"]) {
    await journal.append(rows(letter.repeat(100_000)));
  }
  for (const segment of [await journal.take(), await journal.take()]) {
    await journal.remove(segment!);
  }
  expect(await files(".spare", place)).toHaveLength(2);
  const full = join(disk, "full");
  await writeFile(full, Buffer.alloc(1_000_000)).catch((error: NodeJS.ErrnoException) => {
    expect(error.code).toBe("ENOSPC");
  });
  await journal.append(rows("c".repeat(90_000)));
  const fits = await journal.take();
  expect(await read(fits)).toBe("c".repeat(90_000));
  // More data than the file has space for: the write ends in the middle.
  await expect(journal.append(rows("d".repeat(300_000)))).rejects.toMatchObject({
    code: "COLLECTOR_JOURNAL_DISK",
    cause: { code: "ENOSPC" },
  });
  expect(await readdir(place)).toEqual(expect.not.arrayContaining([expect.stringMatching(/\.spare$/)]));
  expect(journal.spareBytes).toBe(0);
  await journal.append(rows("e".repeat(50_000)));
  expect(await read(await journal.take())).toBe("e".repeat(50_000));
}

describe("a crash while a file is used again", () => {
  const oldToken = "00000000000001-old";
  const newToken = "00000000000002-new";

  /** Contents of the file after each step of its reuse. */
  async function steps(): Promise<Record<"old" | "begun" | "written", Buffer>> {
    const place = join(folder, "made");
    await mkdir(place);
    const segmentFiles = new SegmentFiles(place, true, 1e9);
    const frames = async (texts: string[]) => {
      const segment = await segmentFiles.begin();
      const begun = await readFile(segment.path);
      for (const text of texts) {
        const group = new CommitGroup();
        void group.add(rows(text));
        await segment.append(group);
      }
      await segment.close();
      const written = await readFile(segment.path);
      await segmentFiles.release(segment.path, written.length);
      return { begun, written };
    };
    const old = await frames(["first of the old,", "second of the old"]);
    const { begun, written } = await frames(["first of the new,"]);
    await rm(place, { recursive: true });
    expect(begun.length).toBe(old.written.length);
    return { old: old.written, begun, written };
  }

  async function recovered(): Promise<(string | undefined)[]> {
    const journal = await openJournal();
    const texts = [];
    for (let left = journal.segments; left > 0; left--) {
      texts.push(await read(await journal.take()));
    }
    return texts;
  }

  test.each([
    ["it is put by", `${oldToken}.spare`, "old", []],
    // As if a removal was not written to the disk: the store already has the token.
    [
      "the disk does not know that it was put by",
      `${oldToken}.segment`,
      "old",
      ["first of the old,second of the old"],
    ],
    ["its header is written", `${oldToken}.spare`, "begun", []],
    ["its header is written, and the disk knows the old name", `${oldToken}.segment`, "begun", []],
    ["it has its new name", `${newToken}.segment`, "begun", []],
    ["it has its first rows", `${newToken}.segment`, "written", ["first of the new,"]],
  ] as const)("when %s", async (_, name, step, left) => {
    const file = (await steps())[step];
    await writeFile(join(folder, name), file);
    expect(await recovered()).toEqual(left);
    expect(await files(".spare")).toEqual([]);
    expect(await readdir(join(folder, quarantineFolder)), "nothing is taken for damage").toEqual([]);
  });

  test("anywhere in the first write: there are no rows yet, or all of them", async () => {
    const { begun, written } = await steps();
    const frame = { start: segmentHeaderBytes, end: written.indexOf("first of the new,") + 17 };
    const rounds = { none: 0, all: 0 };
    for (let bytes = frame.start; bytes <= frame.end; bytes++) {
      const file = Buffer.concat([written.subarray(0, bytes), begun.subarray(bytes)]);
      // The last bytes may equal the bytes of the earlier file.
      const isWhole = file.subarray(frame.start, frame.end).equals(written.subarray(frame.start, frame.end));
      await writeFile(join(folder, `${newToken}.segment`), file);
      expect(await recovered()).toEqual(isWhole ? ["first of the new,"] : []);
      rounds[isWhole ? "all" : "none"]++;
      await open.pop()?.close();
      for (const name of await files(".segment")) {
        await rm(join(folder, name));
      }
    }
    expect(rounds.none).toBeGreaterThan(10);
    expect(rounds.all).toBeGreaterThan(0);
  });
});

test("after kills every acknowledged batch is under one token, and no removed one comes back under another", async () => {
  const script = join(import.meta.dirname, "../../../test/journal-until-killed.ts");
  const acknowledged: string[] = [];
  /** Blocks by token, as in the store: a token that it already has is ignored. */
  const stored = new Map<string, string>();
  const store = (token: string, text: string) => {
    expect(stored.get(token) ?? text).toBe(text);
    stored.set(token, text);
  };
  for (let round = 0; round < 5; round++) {
    const child = spawn(process.execPath, [script, folder, `round ${round}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exit = once(child, "exit");
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const said = killedLine.parse(JSON.parse(line));
      if ("token" in said) {
        store(said.token, said.text);
      } else {
        acknowledged.push(said.acknowledged);
      }
      // Output that the process wrote before it was killed still counts.
      if (++lines === 40 + 7 * round) {
        child.kill("SIGKILL");
      }
    }
    await exit;
    const journal = await openJournal();
    for (let left = journal.segments; left > 0; left--) {
      const segment = await journal.take();
      store(segment!.token, (await read(segment))!);
      await journal.remove(segment!);
    }
    await open.pop()?.close();
    expect(await files(".segment")).toEqual([]);
  }
  const times = new Map<string, number>();
  for (const text of stored.values()) {
    for (const [batch] of text.matchAll(/<[^>]+>/g)) {
      times.set(batch, (times.get(batch) ?? 0) + 1);
    }
  }
  expect(acknowledged.length).toBeGreaterThan(50);
  for (const batch of acknowledged) {
    expect(times.get(batch), batch).toBe(1);
  }
  for (const [batch, count] of times) {
    expect(count, batch).toBe(1);
  }
});
