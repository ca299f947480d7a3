import { copyFile, mkdtemp, readdir, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { firstLayoutBatches } from "../../../test/first-layout-spans.ts";
import { spansOf } from "../../../test/span-rows-fixture.ts";
import { openWholeJournal } from "../../../test/whole-journal.ts";
import type { Journal } from "./journal.ts";
import { quarantineFolder } from "./sealed-segment.ts";
import { readSegmentHeader, segmentBeginning } from "./segment-format.ts";

const token = "01795382983441-34542c62-eb43-4161-9fe5-dc4471017607";

let folder: string;
let journal: Journal | undefined;

async function openJournal(): Promise<Journal> {
  journal = await openWholeJournal(folder);
  return journal;
}

// Each file has a frame for each of `firstLayoutBatches`, and was written by the previous version …
describe.each([
  ["before frames had a seed", "unseeded", { start: 16, seed: 0 }, 0],
  ["before rows shared their prefix", "plain-prefixes", { start: 24, seed: expect.any(Number) }, 12],
])("a segment from %s", (_, name, form, endMarkBytes) => {
  const fixture = join(import.meta.dirname, "../../../test/fixtures", `${name}.segment`);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "earlier-"));
    await copyFile(fixture, join(folder, `${token}.segment`));
  });

  afterEach(async () => {
    await journal?.close();
    journal = undefined;
    await rm(folder, { recursive: true });
  });

  test("is read as it is, under its name, at every start", async () => {
    for (let start = 0; start < 2; start++) {
      const opened = await openJournal();
      const segment = await opened.take();
      expect(segment?.token).toBe(token);
      expect(spansOf(await segment!.read(Buffer.alloc(segment!.bytes)))).toEqual(firstLayoutBatches.flat());
      const { length } = await readFile(fixture);
      expect(
        (await readFile(segment!.path)).equals((await readFile(fixture)).subarray(0, length - endMarkBytes)),
      ).toBe(true);
      await opened.close();
    }
  });

  test("is a file that is not used again, as this process has not made it", async () => {
    const opened = await openJournal();
    await opened.remove((await opened.take())!);
    expect(opened.spareBytes).toBe(0);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^lock-/), quarantineFolder]);
  });

  test("has its torn tail cut and kept", async () => {
    const { length } = await readFile(fixture);
    await truncate(join(folder, `${token}.segment`), length - endMarkBytes - 1);
    const opened = await openJournal();
    const segment = await opened.take();
    expect(spansOf(await segment!.read(Buffer.alloc(segment!.bytes)))).toEqual(
      firstLayoutBatches.slice(0, -1).flat(),
    );
    expect(await readdir(join(folder, quarantineFolder))).toEqual([`${token}.segment.cut`]);
  });

  test("tells that version to take one of today for rows that it does not know, and to set it aside", async () => {
    const ours = segmentBeginning(1);
    const theirs = await readFile(fixture);
    expect(readSegmentHeader(theirs.subarray(0, 24))).toEqual({ state: "ours", form });
    // The parts that the previous version checks first: a name, a checksum of columns, and a checksum of both.
    expect(ours.subarray(0, 8)).toEqual(theirs.subarray(0, 8));
    expect(ours.readUInt32LE(8)).not.toBe(theirs.readUInt32LE(8));
    expect(ours.readUInt32LE(12)).toBe(crc32(ours.subarray(0, 12)));
  });
});
