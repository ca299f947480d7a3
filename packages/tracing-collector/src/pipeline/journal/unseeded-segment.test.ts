import { copyFile, mkdtemp, readdir, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { firstLayoutBatches } from "../../../test/first-layout-spans.ts";
import { quietLog } from "../../../test/receiver-fixture.ts";
import { spansOf } from "../../../test/span-rows-fixture.ts";
import { Journal } from "./journal.ts";
import { quarantineFolder } from "./sealed-segment.ts";
import { readSegmentHeader, segmentBeginning } from "./segment-format.ts";

/** Written by the version before frames had a seed: rows of today, a frame for each of `firstLayoutBatches`. */
const fixture = join(import.meta.dirname, "../../../test/fixtures/unseeded.segment");
const token = "01795382983441-34542c62-eb43-4161-9fe5-dc4471017607";

let folder: string;
let journal: Journal | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "unseeded-"));
  await copyFile(fixture, join(folder, `${token}.segment`));
});

afterEach(async () => {
  await journal?.close();
  journal = undefined;
  await rm(folder, { recursive: true });
});

async function openJournal(): Promise<Journal> {
  const limits = {
    maxBytes: 1e7,
    segmentRows: 1e6,
    segmentBytes: 1e7,
    segmentAgeMs: 1,
    busySegmentRows: 1e6,
  };
  journal = await Journal.open({ ...limits, folder, sync: "always" }, { committed() {} }, quietLog);
  return journal;
}

test("a segment of the version before is read as it is, under its name, at every start", async () => {
  for (let start = 0; start < 2; start++) {
    const opened = await openJournal();
    const segment = await opened.take();
    expect(segment?.token).toBe(token);
    expect(spansOf(await segment!.read(Buffer.alloc(segment!.bytes)))).toEqual(firstLayoutBatches.flat());
    expect(await readFile(segment!.path)).toEqual(await readFile(fixture));
    await opened.close();
  }
});

test("its file is not used again, as its frames have no seed", async () => {
  const opened = await openJournal();
  await opened.remove((await opened.take())!);
  expect(opened.spareBytes).toBe(0);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^lock-/), quarantineFolder]);
});

test("its torn tail is cut and kept", async () => {
  const { length } = await readFile(fixture);
  await truncate(join(folder, `${token}.segment`), length - 1);
  const opened = await openJournal();
  const segment = await opened.take();
  expect(spansOf(await segment!.read(Buffer.alloc(segment!.bytes)))).toEqual(
    firstLayoutBatches.slice(0, -1).flat(),
  );
  expect(await readdir(join(folder, quarantineFolder))).toEqual([`${token}.segment.cut`]);
});

test("that version takes a segment of today for rows that it does not know, and sets it aside", async () => {
  const ours = segmentBeginning(1);
  const theirs = await readFile(fixture);
  expect(readSegmentHeader(theirs)).toEqual({ state: "ours", form: { start: 16, seed: 0 } });
  // All that it looks at: a name, a checksum of columns, and a checksum of both.
  expect(ours.subarray(0, 8)).toEqual(theirs.subarray(0, 8));
  expect(ours.readUInt32LE(8)).not.toBe(theirs.readUInt32LE(8));
  expect(ours.readUInt32LE(12)).toBe(crc32(ours.subarray(0, 12)));
});
