import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { firstLayoutBatches } from "../../../test/first-layout-spans.ts";
import { plainRowsOf, spanOf, spansOf } from "../../../test/span-rows-fixture.ts";
import { openWholeJournal } from "../../../test/whole-journal.ts";
import type { Journal } from "./journal.ts";
import { quarantineFolder } from "./sealed-segment.ts";
import { frameHeaderBytes, readSegmentHeader, writeFrameHeader } from "./segment-format.ts";

const token = "01795308982205-fa57fa4f-e07f-40a9-bb78-885f05acd7a9";
const name = `${token}.segment`;
const fixture = join(import.meta.dirname, "../../../test/fixtures/first-layout.segment");
/** Bytes of the first layout's header, which has no seed. */
const firstHeaderBytes = 16;
const allSpans = firstLayoutBatches.flat();

let folder: string;
let journal: Journal | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "first-layout-"));
  await copyFile(fixture, join(folder, name));
});

afterEach(async () => {
  await journal?.close();
  journal = undefined;
  await rm(folder, { recursive: true });
});

async function openJournal(): Promise<Journal> {
  journal = await openWholeJournal(folder);
  return journal;
}

describe("a segment that was written when attributes were tuples", () => {
  test("is read as rows of today, under its name, at every start", async () => {
    expect(readSegmentHeader(await readFile(fixture)).state).toBe("first-layout");
    for (let start = 0; start < 2; start++) {
      const opened = await openJournal();
      expect([opened.segments, opened.rows]).toEqual([1, allSpans.length]);
      const segment = await opened.take();
      expect(segment?.token).toBe(token);
      expect(spansOf(await segment!.read(Buffer.alloc(segment!.bytes)))).toEqual(allSpans);
      const pieces: Buffer[] = [];
      for await (const { bytes } of segment!.source.pieces()) {
        pieces.push(Buffer.from(bytes));
      }
      const sent = Buffer.concat(pieces);
      expect(sent.equals(plainRowsOf(allSpans).bytes)).toBe(true);
      expect(readSegmentHeader(await readFile(join(folder, name))).state).toBe("ours");
      await opened.close();
    }
  });

  test("is not held up by what a crash in the middle of the rewriting left", async () => {
    await writeFile(join(folder, `${name}.rewritten`), "half");
    const opened = await openJournal();
    expect(opened.rows).toBe(allSpans.length);
    expect((await readdir(folder)).filter((one) => one.includes(".segment"))).toEqual([name]);
  });

  test("is read without a torn tail and a damaged frame, of which copies are kept", async () => {
    const file = await readFile(fixture);
    const second = firstHeaderBytes + frameHeaderBytes + file.readUInt32LE(firstHeaderBytes);
    file[second + frameHeaderBytes + 1] = 0xee;
    await writeFile(join(folder, name), Buffer.concat([file, Buffer.from("torn")]));
    const opened = await openJournal();
    const segment = await opened.take();
    const left = [firstLayoutBatches[0], firstLayoutBatches[2]].flatMap((batch) => batch ?? []);
    expect(spansOf(await segment!.read(Buffer.alloc(segment!.bytes)))).toEqual(left);
    expect((await readdir(join(folder, quarantineFolder))).sort()).toEqual([
      `${name}.cut`,
      `${name}.damaged`,
    ]);
  });

  test("is set aside as it was when its frames are no rows, and holds nobody up", async () => {
    const frame = Buffer.concat([Buffer.alloc(frameHeaderBytes), Buffer.from("no rows")]);
    writeFrameHeader(frame, 1, 0);
    const file = Buffer.concat([(await readFile(fixture)).subarray(0, firstHeaderBytes), frame]);
    await writeFile(join(folder, name), file);
    const opened = await openJournal();
    expect([opened.segments, opened.bytes]).toEqual([0, file.length]);
    expect(await readdir(join(folder, quarantineFolder))).toEqual([name]);
    expect(await readFile(join(folder, quarantineFolder, name))).toEqual(file);
    await opened.append(plainRowsOf([spanOf({ name: "new" })]));
    const segment = await opened.take();
    expect(spansOf(await segment!.read(Buffer.alloc(segment!.bytes)))).toEqual([spanOf({ name: "new" })]);
  });
});
