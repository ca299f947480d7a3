import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plainBlock } from "../testing/written-blocks.ts";
import { BlockCache } from "./block-cache.ts";
import { PackedFile } from "./packed-file.ts";
import { UnreadablePart } from "./unreadable-part.ts";

let folder: string;
let path: string;
let files = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "packed-file-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Path of a file with these blocks. */
function written(...blocks: readonly Buffer[]): string {
  path = join(folder, `file-${++files}`);
  writeFileSync(
    path,
    Buffer.concat(blocks.map((bytes, index) => plainBlock(methods[index % 3] ?? "none", bytes))),
  );
  return path;
}

const methods = ["lz4", "none", "zstd"] as const;
const blocks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 12 });

describe("a file of packed blocks", () => {
  test("gives any piece, from any byte and from any block", () => {
    const pieces = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(blocks, pieces, fc.nat(1_000), (parts, wanted, cacheBytes) => {
        const all = Buffer.concat(parts);
        const packed = PackedFile.open(
          written(...parts.map((part) => Buffer.from(part))),
          new BlockCache(cacheBytes),
        );
        expect(packed.length).toBe(all.length);
        for (const [from, more] of wanted) {
          const begin = from % all.length;
          const length = more % (all.length - begin + 1);
          expect(packed.streamFrom(begin).bytes(0, length)).toEqual(all.subarray(begin, begin + length));
        }
        let [place, first] = [0, 0];
        for (const [index, part] of parts.entries()) {
          const byte = (wanted[0]?.[0] ?? 0) % part.length;
          const rest = packed.streamAt(place, byte).bytes(0, all.length - first - byte);
          expect(rest).toEqual(all.subarray(first + byte));
          expect(() => packed.streamAt(place + 1, 0)).toThrow(UnreadablePart);
          place += plainBlock(methods[index % 3] ?? "none", Buffer.from(part)).length;
          first += part.length;
        }
      }),
      { numRuns: 200 },
    );
  });

  test("has no more than it has", () => {
    const packed = PackedFile.open(written(Buffer.alloc(100), Buffer.alloc(50)), new BlockCache(1_000));
    for (const from of [-1, 150, 1e9, Number.NaN]) {
      expect(() => packed.streamFrom(from)).toThrow(UnreadablePart);
    }
    expect(() => packed.streamFrom(149).bytes(0, 2)).toThrow(UnreadablePart);
    expect(packed.streamFrom(149).bytes(0, 1)).toEqual(Buffer.alloc(1));
  });

  test("unpacks only what is asked for, and that once", () => {
    const cache = new BlockCache(10_000);
    const packed = PackedFile.open(
      written(...Array.from({ length: 20 }, () => Buffer.alloc(1_000, 7))),
      cache,
    );
    expect(cache.bytes).toBe(0);
    packed.streamFrom(12_345).bytes(0, 10);
    expect(cache.bytes).toBeLessThan(2_000);
    // After this, the file can no longer be read.
    rmSync(path);
    expect(packed.streamFrom(12_000).bytes(0, 1_000)).toEqual(Buffer.alloc(1_000, 7));
    expect(() => packed.streamFrom(1).bytes(0, 1)).toThrow("ENOENT");
  });

  test("of nothing is empty", () => {
    const packed = PackedFile.open(written(), new BlockCache(1_000));
    expect(packed.length).toBe(0);
    expect(() => packed.streamFrom(0)).toThrow(UnreadablePart);
    expect(() => packed.streamAt(0, 0).bytes(0, 1)).toThrow(UnreadablePart);
  });

  test("is refused when it is cut short, wherever", () => {
    const whole = plainBlock("lz4", Buffer.alloc(100)).length;
    for (let length = 1; length < 2 * whole; length++) {
      written(Buffer.alloc(100), Buffer.alloc(100));
      truncateSync(path, length);
      const open = () => PackedFile.open(path, new BlockCache(1_000));
      if (length === whole) {
        expect(open().length).toBe(100);
      } else {
        expect(open, String(length)).toThrow(UnreadablePart);
      }
    }
  });

  test("is refused when it is shorter than it was, and when a block is damaged", () => {
    const packed = PackedFile.open(
      written(Buffer.alloc(100), Buffer.from("x".repeat(100))),
      new BlockCache(0),
    );
    const bytes = Buffer.concat([
      plainBlock("lz4", Buffer.alloc(100)),
      plainBlock("none", Buffer.from("x".repeat(100))),
    ]);
    truncateSync(path, bytes.length - 1);
    expect(() => packed.streamFrom(100).bytes(0, 1)).toThrow(UnreadablePart);
    bytes[bytes.length - 1] = 0;
    writeFileSync(path, bytes);
    expect(() => packed.streamFrom(100).bytes(0, 1)).toThrow(UnreadablePart);
    expect(packed.streamFrom(0).bytes(0, 1)).toEqual(Buffer.alloc(1));
  });
});
