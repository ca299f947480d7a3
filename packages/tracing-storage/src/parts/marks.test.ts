import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { collectGarbage } from "lifecycle/collect-garbage";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainBlock } from "../testing/written-blocks.ts";
import { BlockCache } from "./block-cache.ts";
import { Marks } from "./marks.ts";
import { UnreadablePart } from "./unreadable-part.ts";

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "marks-"));
  path = join(folder, "data.cmrk4");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes 8-byte numbers in blocks of `blockBytes`, so that marks may cross the end of a block. */
function write(numbers: readonly number[], blockBytes: number): void {
  const bytes = Buffer.alloc(numbers.length * 8);
  for (const [index, number] of numbers.entries()) {
    bytes.writeBigUInt64LE(BigInt(number), index * 8);
  }
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    blocks.push(plainBlock("zstd", bytes.subarray(at, at + blockBytes)));
  }
  writeFileSync(path, Buffer.concat(blocks));
}

test("says where each stream of a granule begins, and how many rows there are", () => {
  const number = fc.oneof(fc.nat(70_000), fc.integer({ min: 0, max: 2 ** 45 }));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.array(number, { minLength: 11, maxLength: 11 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 300 }),
      fc.array(fc.tuple(fc.nat(), fc.nat())),
      (streams, numbers, blockBytes, asked) => {
        const marks = numbers.map((ofMark) => ofMark.slice(0, 2 * streams + 1));
        write(marks.flat(), blockBytes);
        const read = Marks.open(path, streams, marks.length, new BlockCache(1_000));
        for (const [which, stream] of asked) {
          const granule = which % marks.length;
          const mark = marks[granule] as number[];
          const at = (stream % streams) * 2;
          expect(read.place(granule, stream % streams)).toEqual({ block: mark[at], byte: mark[at + 1] });
          expect(read.rows(granule)).toBe(mark.at(-1));
        }
        for (const outside of [-1, marks.length]) {
          expect(() => read.rows(outside)).toThrow(UnreadablePart);
        }
        for (const [other, count] of [
          [streams, marks.length + 1],
          [streams, marks.length - 1],
          [streams + 1, marks.length],
        ] as const) {
          expect(() => Marks.open(path, other, count, new BlockCache(0))).toThrow(UnreadablePart);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("holds no more memory than it says", async () => {
  write([1, 2, 3], 24);
  collectGarbage("regular");
  const before = process.memoryUsage().arrayBuffers;
  const held = Array.from({ length: 300 }, () => {
    const marks = Marks.open(path, 1, 1, new BlockCache(0));
    expect(marks.rows(0)).toBe(3);
    // Small buffers share memory, which is kept while one of them is in use.
    for (let other = 0; other < 4; other++) {
      Buffer.allocUnsafe(Buffer.poolSize >>> 2);
    }
    return marks;
  });
  const bytes = () => {
    collectGarbage("regular");
    return process.memoryUsage().arrayBuffers - before;
  };
  expect(held.reduce((sum, marks) => sum + marks.bytes, 0)).toBeLessThan(50_000);
  // The garbage collector's thread frees memory a little later.
  await expect.poll(bytes, { timeout: 60_000 }).toBeLessThan(2_000_000);
  expect(held).toHaveLength(300);
});
