import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { quietLog } from "../../../test/receiver-fixture.ts";
import type { Journal } from "./journal.ts";
import { openJournalFolder } from "./open-journal-folder.ts";
import { type ClaimedJournal, claimJournal, openOrphans } from "./shared-journals.ts";

let root: string;
let opened: Journal[];

const open = async (folder: string) => {
  const limits = { segmentRows: 1_000, segmentBytes: 1_000_000, segmentAgeMs: 1, busySegmentRows: 1_000 };
  const journal = await openJournalFolder(
    { folder, sync: "always", maxBytes: 1_000_000, ...limits },
    { committed() {} },
    quietLog,
  );
  opened.push(journal);
  return journal;
};
const namesOf = (claimed: readonly ClaimedJournal[]) => claimed.map(({ folder }) => basename(folder)).sort();
const ready = async () => {};
const keep = (journal: Journal, text: string) => journal.append({ bytes: Buffer.from(text), count: 1 });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "shared-"));
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map((journal) => journal.close().catch(() => {})));
  await rm(root, { recursive: true });
});

test("collectors that start at the same moment have a journal each", async () => {
  const claimed = await Promise.all(Array.from({ length: 5 }, () => claimJournal(root, open)));
  expect(new Set(claimed.map(({ folder }) => folder)).size).toBe(5);
});

test("one that comes back has the first journal that nobody has, with what is in it", async () => {
  const [first, second] = [await claimJournal(root, open), await claimJournal(root, open)];
  expect(namesOf([first, second])).toEqual(["journal-0", "journal-1"]);
  await keep(first.journal, "kept");
  await first.journal.close();
  const again = await claimJournal(root, open);
  expect(namesOf([again])).toEqual(["journal-0"]);
  expect(again.journal.rows).toBe(1);
});

test("journals that nobody has and that hold spans are found, also one of the time before the folder was shared", async () => {
  const before = await open(root);
  await keep(before, "of before");
  await before.close();
  const [own, living, gone, empty] = [
    await claimJournal(root, open),
    await claimJournal(root, open),
    await claimJournal(root, open),
    await claimJournal(root, open),
  ];
  await keep(living.journal, "of another");
  await keep(gone.journal, "left");
  await gone.journal.close();
  await empty.journal.close();
  const orphans = await openOrphans({ root, own: own.folder }, open, ready);
  expect(namesOf(orphans)).toEqual([basename(root), "journal-2"].sort());
  // While a collector has opened an orphan, no other collector gets it.
  expect(await openOrphans({ root, own: own.folder }, open, ready)).toEqual([]);
  expect(orphans.map(({ journal }) => journal.rows)).toEqual([1, 1]);
});

test("opens no orphan while the store is away, and asks for the store only when there is one", async () => {
  const own = await claimJournal(root, open);
  const away = () => Promise.reject(new Error("away"));
  expect(await openOrphans({ root, own: own.folder }, open, away)).toEqual([]);
  const gone = await claimJournal(root, open);
  await keep(gone.journal, "left");
  await gone.journal.close();
  const opened: string[] = [];
  const openOne = (folder: string) => {
    opened.push(folder);
    return open(folder);
  };
  await expect(openOrphans({ root, own: own.folder }, openOne, away)).rejects.toThrow("away");
  expect(opened).toEqual([]);
  expect(namesOf(await openOrphans({ root, own: own.folder }, openOne, ready))).toEqual(["journal-1"]);
});

test("when an orphan cannot be opened, those opened before are let go", async () => {
  const own = await claimJournal(root, open);
  const others = [await claimJournal(root, open), await claimJournal(root, open)];
  for (const { journal } of others) {
    await keep(journal, "left");
    await journal.close();
  }
  const openOne = (folder: string) =>
    basename(folder) === "journal-2" ? Promise.reject(new Error("damaged")) : open(folder);
  await expect(openOrphans({ root, own: own.folder }, openOne, ready)).rejects.toThrow("damaged");
  expect(namesOf(await openOrphans({ root, own: own.folder }, open, ready))).toEqual([
    "journal-1",
    "journal-2",
  ]);
  expect(await readdir(root)).toHaveLength(3);
});
