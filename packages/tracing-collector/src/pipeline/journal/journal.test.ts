import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "lifecycle";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ServiceCounts } from "../../counts/service-counts.ts";
import type { Journal, JournalSettings } from "./journal.ts";
import { openJournalFolder } from "./open-journal-folder.ts";
import { quarantineFolder } from "./sealed-segment.ts";
import { endMarkBytes, segmentBeginning } from "./segment-format.ts";
import { spanJournalContract } from "./span-journal.contract.ts";
import type { JournalSegment } from "./span-journal.ts";

const log = createLogger({ name: "journal-test", level: "fatal", encoding: "json" });
let folder: string;
/** Folders that a test created. */
let folders: string[] = [];
let open: Journal[] = [];
let commits: number;

beforeEach(async () => {
  await newFolder();
  commits = 0;
});

afterEach(async () => {
  await Promise.all(open.map((journal) => journal.close()));
  open = [];
  await Promise.all(folders.map((made) => rm(made, { recursive: true })));
  folders = [];
});

async function newFolder(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "journal-"));
  folders.push(folder);
}

async function openJournal(settings: Partial<JournalSettings> = {}): Promise<Journal> {
  const journal = await openJournalFolder(
    {
      folder,
      sync: "always",
      maxBytes: 1_000_000,
      segmentRows: 1_000_000,
      segmentBytes: 1_000_000,
      segmentAgeMs: 1,
      busySegmentRows: 1_000_000,
      ...settings,
    },
    { committed: () => commits++ },
    log,
  );
  open.push(journal);
  return journal;
}

function rows(text: string, count = 1) {
  return { bytes: Buffer.from(text), count };
}

async function readNext(journal: Journal): Promise<string | undefined> {
  const segment = await journal.take();
  return segment && Buffer.from((await segment.read(Buffer.alloc(segment.bytes))).bytes).toString();
}

/** All pieces of a segment, copied while they are valid. */
async function readPieces(segment: JournalSegment | undefined): Promise<{ text: string; rows: number }[]> {
  const pieces: { text: string; rows: number }[] = [];
  for await (const { bytes, count } of segment?.source?.pieces() ?? []) {
    pieces.push({ text: Buffer.from(bytes).toString(), rows: count });
  }
  return pieces;
}

/** Copies the files of an open journal to another folder, as a crash leaves them. */
async function crashCopy(): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder))
      .filter((name) => name.endsWith(".segment"))
      .map(async (name) => [name, await readFile(join(folder, name))] as const),
  );
  await newFolder();
  for (const [name, bytes] of files) {
    await writeFile(join(folder, name), bytes);
  }
}

async function segmentFiles(): Promise<string[]> {
  return (await readdir(folder))
    .filter((name) => name.endsWith(".segment"))
    .map((name) => join(folder, name));
}

spanJournalContract("Journal", (limits, quiet) =>
  openJournalFolder({ folder, sync: "off", ...limits }, { committed() {} }, quiet),
);

describe("append", () => {
  test("when it resolves the bytes are in the file", async () => {
    const journal = await openJournal({ segmentAgeMs: 1_000_000 });
    await journal.append(rows("one row"));
    const [path] = await segmentFiles();
    expect(await readFile(path!, "latin1")).toContain("one row");
  });

  test("batches that arrive together share one write, in the order of their calls", async () => {
    const journal = await openJournal();
    await Promise.all(Array.from({ length: 100 }, (_, index) => journal.append(rows(`<${index}>`))));
    expect(commits).toBe(1);
    expect(await readNext(journal)).toBe(Array.from({ length: 100 }, (_, index) => `<${index}>`).join(""));
  });

  test("batches that arrive while the disk works form the next group", async () => {
    const journal = await openJournal();
    const first = journal.append(rows("a"));
    // After two turns of the event loop, the first group is being written.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, journal.append(rows("b")), journal.append(rows("c"))]);
    expect(commits).toBe(2);
    expect(await readNext(journal)).toBe("abc");
  });

  test("after a shared commit the next waits some milliseconds, so that more batches share it", async () => {
    const journal = await openJournal({ segmentAgeMs: 1_000_000 });
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    await Promise.all([journal.append(rows("a")), journal.append(rows("b"))]);
    const third = journal.append(rows("c"));
    // One of the timers is for the segment's age.
    while (vi.getTimerCount() < 2) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const fourth = journal.append(rows("d"));
    expect(commits).toBe(1);
    vi.advanceTimersByTime(4);
    await Promise.all([third, fourth]);
    expect(commits).toBe(2);
  });

  test("batches that come one at a time wait for nothing", async () => {
    const journal = await openJournal();
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const text of ["a", "b", "c"]) {
      await journal.append(rows(text));
    }
    expect(commits).toBe(3);
  });

  test("an empty batch needs no disk", async () => {
    const journal = await openJournal();
    await journal.append(rows("", 0));
    expect(await segmentFiles()).toEqual([]);
  });

  test.each(["interval", "off"] as const)("with sync=%s rows are in the file too", async (sync) => {
    const journal = await openJournal({ sync });
    await journal.append(rows("soft"));
    expect(await readNext(journal)).toBe("soft");
  });

  test("what waits for the disk is bounded; a single large batch passes", async () => {
    const journal = await openJournal({ maxBytes: 1e9, segmentBytes: 1e9 });
    const large = { bytes: Buffer.alloc(40 * 1024 * 1024, 1), count: 1 };
    const first = journal.append(large);
    await expect(journal.append(rows("one more"))).rejects.toMatchObject({ code: "COLLECTOR_JOURNAL_BUSY" });
    await first;
    await journal.append(rows("later"));
  });

  test("a disk error refuses the batch, keeps what stood before, and passes when the disk is back", async () => {
    const journal = await openJournal({ segmentBytes: 1 });
    await journal.append(rows("before"));
    const away = `${folder}-away`;
    const { rename } = await import("node:fs/promises");
    await rename(folder, away);
    await expect(journal.append(rows("lost"))).rejects.toMatchObject({ code: "COLLECTOR_JOURNAL_DISK" });
    await rename(away, folder);
    await journal.append(rows("after"));
    expect([await readNext(journal), await readNext(journal)]).toEqual(["before", "after"]);
  });

  test("a disk that fills up in the middle of a write: the batch is refused, what stood before is whole", async (context) => {
    const disk = join(folder, "disk");
    await mkdir(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      context.skip("needs the right to mount a small file system");
    }
    const place = join(disk, "journal");
    try {
      const journal = await openJournalFolder(
        {
          folder: place,
          sync: "always",
          maxBytes: 1e9,
          segmentRows: 1e6,
          segmentBytes: 1e9,
          segmentAgeMs: 1e6,
          busySegmentRows: 1e6,
        },
        { committed() {} },
        log,
      );
      await journal.append(rows("first,"));
      // A part of the data fits: the write ends in the middle.
      await expect(journal.append(rows("x".repeat(400_000)))).rejects.toMatchObject({
        code: "COLLECTOR_JOURNAL_DISK",
        cause: { code: "ENOSPC" },
      });
      await journal.append(rows("second"));
      const segment = await journal.take();
      expect(Buffer.from((await segment!.read(Buffer.alloc(segment!.bytes))).bytes).toString()).toBe(
        "first,",
      );
      await journal.remove(segment!);
      await journal.finish();
      expect(await readNext(journal)).toBe("second");
      await journal.close();
    } finally {
      execFileSync("umount", [disk]);
    }
  });
});

describe("segments", () => {
  test("damage on disk is noticed when a segment is read", async () => {
    const before = await openJournal({ segmentAgeMs: 1_000_000 });
    await before.append(rows("precious"));
    await crashCopy();
    const journal = await openJournal();
    const segment = await journal.take();
    const file = await readFile(segment!.path);
    file[file.length - 1]! ^= 1;
    await writeFile(segment!.path, file);
    await expect(segment!.read(Buffer.alloc(segment!.bytes))).rejects.toMatchObject({
      code: "COLLECTOR_JOURNAL_DAMAGED",
    });
    const path = await journal.quarantine(segment!);
    expect(await readFile(path)).toEqual(file);
    expect(journal.segments).toBe(0);
    expect([journal.bytes, journal.quarantined.bytes]).toEqual([file.length, file.length]);
  });
});

describe("a segment that was just written", () => {
  test("is read whole, however many frames it has", async () => {
    const journal = await openJournal({ segmentAgeMs: 1_000_000 });
    const texts = Array.from({ length: 1_203 }, (_, index) => `<${index}>`);
    for (const text of texts) {
      await journal.append(rows(text));
    }
    expect(commits).toBe(texts.length);
    await journal.finish();
    expect(await readNext(journal)).toBe(texts.join(""));
  });

  test("and is not there as it was written, is not read", async () => {
    const journal = await openJournal({ segmentRows: 1 });
    await journal.append(rows("precious"));
    const segment = await journal.take();
    const file = await readFile(segment!.path);
    for (const bytes of [file.subarray(0, file.length - endMarkBytes - 1), Buffer.alloc(file.length)]) {
      await writeFile(segment!.path, bytes);
      await expect(segment!.read(Buffer.alloc(segment!.bytes))).rejects.toMatchObject({
        code: "COLLECTOR_JOURNAL_DAMAGED",
      });
    }
  });

  test("has the counts of its rows, unless some came without", async () => {
    const journal = await openJournal({ segmentRows: 3 });
    const labels = { service: "shop", debug: false };
    const counted = (text: string) => {
      const services = new ServiceCounts();
      services.addSpans(labels, 1);
      services.addTraces(labels, "const", 1);
      return { ...rows(text), services };
    };
    for (const text of ["a", "b", "c"]) {
      await journal.append(counted(text));
    }
    for (const batch of [counted("d"), rows("e"), counted("f")]) {
      await journal.append(batch);
    }
    const read = async () => {
      const segment = await journal.take();
      return (await segment!.read(Buffer.alloc(segment!.bytes))).services;
    };
    const services = await read();
    expect([...(services?.spans ?? [])]).toEqual([[labels, 3]]);
    expect([...(services?.traces.get(labels) ?? [])]).toEqual([["const", 3]]);
    expect(await read()).toBeUndefined();
  });
});

describe("rows that are read as they are sent", () => {
  const mebibyte = 1024 * 1024;

  test("come in pieces of whole rows, the same each time", async () => {
    const journal = await openJournal({ segmentAgeMs: 1_000_000, maxBytes: 1e9, segmentBytes: 1e9 });
    const texts = Array.from({ length: 700 }, (_, index) => `<${index}>`);
    // One text that exceeds a piece, among small ones.
    texts.splice(300, 0, "x".repeat(3 * mebibyte));
    for (const text of texts) {
      await journal.append(rows(text, 2));
    }
    await journal.finish();
    const segment = await journal.take();
    for (let round = 0; round < 2; round++) {
      const pieces = await readPieces(segment);
      expect(pieces.map(({ text }) => text).join("")).toBe(texts.join(""));
      expect(pieces.reduce((sum, piece) => sum + piece.rows, 0)).toBe(2 * texts.length);
      expect(pieces.length).toBeLessThan(10);
    }
  });

  test("a piece stays as it is until the second after it is asked for", async () => {
    const journal = await openJournal({ segmentAgeMs: 1_000_000, maxBytes: 1e9, segmentBytes: 1e9 });
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(mebibyte));
    for (const text of texts) {
      await journal.append(rows(text));
    }
    await journal.finish();
    const pieces = (await journal.take())!.source.pieces()[Symbol.asyncIterator]();
    let before = (await pieces.next()).value;
    for (let index = 1; index < texts.length; index++) {
      const { value } = await pieces.next();
      expect(Buffer.from(before!.bytes).toString("latin1", 0, 1)).toBe(texts[index - 1]?.[0]);
      before = value;
    }
    await pieces.return?.();
  });

  test("that are not there as they were written, are noticed", async () => {
    const before = await openJournal({ segmentAgeMs: 1_000_000 });
    for (const text of ["first,", "second"]) {
      await before.append(rows(text));
    }
    await crashCopy();
    const journal = await openJournal();
    const segment = await journal.take();
    const file = await readFile(segment!.path);
    file[file.length - 1]! ^= 1;
    for (const bytes of [file, file.subarray(0, file.length - 1), Buffer.alloc(file.length)]) {
      await writeFile(segment!.path, bytes);
      await expect(readPieces(segment)).rejects.toMatchObject({ code: "COLLECTOR_JOURNAL_DAMAGED" });
    }
  });
});

describe("a start after a crash", () => {
  test("finds what was kept, under the same token, and appends nothing to it", async () => {
    const before = await openJournal({ segmentAgeMs: 1_000_000 });
    await before.append(rows("kept", 2));
    const [path] = await segmentFiles();
    await crashCopy();
    const journal = await openJournal();
    await journal.append(rows("new"));
    const segment = await journal.take();
    expect(path).toContain(segment!.token);
    expect(Buffer.from((await segment!.read(Buffer.alloc(segment!.bytes))).bytes).toString()).toBe("kept");
    expect(segment!.rows).toBe(2);
    expect(await readNext(journal)).toBe("new");
  });

  test.each([1, 5, 11, 12, 13])("cuts a tail torn by %i bytes", async (torn) => {
    const before = await openJournal({ segmentAgeMs: 1_000_000 });
    await before.append(rows("whole"));
    await before.append(rows("t"));
    await crashCopy();
    const [path] = await segmentFiles();
    const { length } = await readFile(path!);
    await truncate(path!, length - endMarkBytes - torn);
    const journal = await openJournal();
    expect(await readNext(journal)).toBe("whole");
    expect((await readFile(path!)).length).toBe(length - endMarkBytes - 13);
  });

  test("saves what stands around a damaged frame, and keeps a copy of the file", async () => {
    const before = await openJournal({ segmentAgeMs: 1_000_000 });
    for (const text of ["first,", "second,", "third"]) {
      await before.append(rows(text));
    }
    await crashCopy();
    const [path] = await segmentFiles();
    const file = await readFile(path!);
    const at = file.indexOf("second");
    file[at] = file[at]! ^ 1;
    await writeFile(path!, file);
    const journal = await openJournal();
    const segment = await journal.take();
    expect(await readPieces(segment)).toEqual([
      { text: "first,", rows: 1 },
      { text: "third", rows: 1 },
    ]);
    const { bytes, count } = await segment!.read(Buffer.alloc(segment!.bytes));
    expect([Buffer.from(bytes).toString(), count]).toEqual(["first,third", 2]);
    const [copy] = await readdir(join(folder, quarantineFolder));
    expect(copy).toMatch(/\.segment\.damaged$/);
    expect(await readFile(join(folder, quarantineFolder, copy!))).toEqual(file);
  });

  test("what is whole of a segment that is damaged while it waits goes on, and what is not is counted", async () => {
    const before = await openJournal({ segmentAgeMs: 1_000_000 });
    for (const text of ["first,", "second,", "third"]) {
      await before.append(rows(text));
    }
    await crashCopy();
    const journal = await openJournal();
    const segment = await journal.take();
    const [path] = await segmentFiles();
    const file = await readFile(path!);
    file[file.indexOf("second")]! ^= 1;
    await writeFile(path!, file);
    await expect(readPieces(segment)).rejects.toThrow("is not what was written");
    const rest = await journal.salvage(segment!);
    expect(await readPieces(rest)).toEqual([
      { text: "first,", rows: 1 },
      { text: "third", rows: 1 },
    ]);
    expect([rest?.token, journal.rows, journal.segments]).toEqual([segment?.token, 2, 1]);
    await journal.remove(rest!);
    // The copy uses no space of the spans: it has a separate limit.
    expect([journal.rows, journal.segments, journal.bytes]).toEqual([0, 0, 0]);
    expect([journal.quarantined.files, journal.quarantined.bytes]).toEqual([1, file.length]);
    expect(await readdir(join(folder, quarantineFolder))).toHaveLength(1);
  });

  test("forgets files with nothing whole in them, but keeps what they hold", async () => {
    await writeFile(join(folder, "1.segment"), "");
    await writeFile(join(folder, "2.segment"), segmentBeginning(1));
    await writeFile(join(folder, "3.segment"), "no segment at all, but long enough for a header");
    const journal = await openJournal();
    expect(journal.segments).toBe(0);
    expect(await segmentFiles()).toEqual([]);
    expect(await readdir(join(folder, quarantineFolder))).toEqual(["3.segment.cut"]);
  });

  test("a segment to which rows come fast ages twice as long, not for ever", async () => {
    const journal = await openJournal({ segmentAgeMs: 5, busySegmentRows: 1 });
    await journal.append(rows("busy"));
    expect(await readNext(journal)).toBe("busy");
  });

  test("gives what storage refused another chance", async () => {
    const before = await openJournal({ segmentRows: 1 });
    await before.append(rows("refused"));
    await before.quarantine((await before.take())!);
    await before.close();
    expect(await segmentFiles()).toEqual([]);
    const journal = await openJournal();
    expect(await readNext(journal)).toBe("refused");
  });

  test("sets rows of another layout aside", async () => {
    const header = segmentBeginning(1);
    header.writeUInt32LE(12345, 8);
    const { crc32 } = await import("node:zlib");
    header.writeUInt32LE(crc32(header.subarray(0, 12)), 12);
    await writeFile(join(folder, "old.segment"), Buffer.concat([header, Buffer.from("rows")]));
    const journal = await openJournal();
    expect(journal.segments).toBe(0);
    expect(journal.bytes).toBe(header.length + 4);
    expect(await readdir(join(folder, quarantineFolder))).toEqual(["old.segment"]);
  });
});

describe("the folder", () => {
  test("belongs to one journal at a time", async () => {
    const first = await openJournal();
    await expect(openJournal()).rejects.toThrow(/in use by another collector: stop that one/);
    await first.close();
    await openJournal();
  });

  test("is free again after a crash, also deep down in long paths", async () => {
    const deep = join(folder, "long".repeat(40));
    const first = await openJournal({ folder: deep });
    await expect(openJournal({ folder: deep })).rejects.toThrow(/in use by another collector/);
    await first.close();
    // A socket file without a listener, as left by a kill.
    await writeFile(join(deep, "lock"), "");
    await openJournal({ folder: deep });
  });

  test("that is a file gives a start error", async () => {
    const path = join(folder, "file");
    await writeFile(path, "");
    await expect(openJournal({ folder: path })).rejects.toThrow(/is a file, not a folder/);
  });
});
