import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cityHash128 } from "wire/city-hash";
import { createBlockCompressor, decompressBlocks } from "./compressed-blocks.ts";
import { compressLz4Block, decompressLz4Block } from "./lz4-block.ts";
import { decompressLz4Frames } from "./lz4-frame.ts";

async function* pieces(bytes: Buffer, size = 1000): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) {
    yield bytes.subarray(from, from + size);
  }
}

async function read(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of chunks) {
    read.push(chunk);
  }
  return Buffer.concat(read);
}

describe("cityHash128", () => {
  // Checksums of blocks that a ClickHouse 26.7 wrote for the same bytes.
  test.each([
    ["", "3df09dfc64c09a2b", "3cb540c392e51e29"],
    ["a", "d27139a1afe01ad0", "fd7e8ee2e4c86cf6"],
    ["abcd", "d21338e7df1dac94", "ccf0f3d08357ecec"],
    ["abcdefgh", "4ba34274d268afb4", "fb0ea90987f10634"],
    ["abcdefghijklmnop", "c0be2d2e09520c8c", "3f0989d620f9f548"],
    ["x".repeat(100), "ac565824d014f9f2", "a6215b222dbf04ac"],
    ["y".repeat(300), "c80a95defe566957", "53848db6271b5fc8"],
  ])("%j", (text, low, high) => {
    expect(cityHash128(Buffer.from(text)).map((half) => half.toString(16).padStart(16, "0"))).toEqual([
      low,
      high,
    ]);
  });
});

const texts = fc.oneof(
  fc.uint8Array({ maxLength: 5000 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom("ab", "abcabc", "x".repeat(300), "\0\xff"), { maxLength: 300 })
    .map((parts) => Buffer.from(parts.join(""), "latin1")),
);

interface Sequence {
  readonly literals: number;
  /** Bytes of the match minus four, as LZ4 stores it. */
  readonly match: number;
  /** Distance of the match minus one, limited by the bytes before it. */
  readonly offset: number;
}

/** A block of these sequences, and its decompressed bytes, computed byte by byte. */
function writtenBlock(sequences: readonly Sequence[], last: number) {
  const block: number[] = [];
  const bytes: number[] = [];
  let offsetAt = 0;
  const length = (value: number) => {
    let left = value - 15;
    for (; left >= 255; left -= 255) {
      block.push(255);
    }
    if (left >= 0) {
      block.push(left);
    }
  };
  const literals = (count: number, match: number) => {
    block.push((Math.min(count, 15) << 4) | Math.min(match, 15));
    length(count);
    for (let index = 0; index < count; index++) {
      const byte = (bytes.length * 31 + sequences.length) & 255;
      block.push(byte);
      bytes.push(byte);
    }
  };
  for (const { literals: count, match, offset } of sequences) {
    literals(bytes.length === 0 ? Math.max(count, 1) : count, match);
    const back = 1 + (offset % bytes.length);
    offsetAt = block.length;
    block.push(back & 255, back >> 8);
    length(match);
    for (let left = match + 4; left > 0; left--) {
      bytes.push(bytes[bytes.length - back] as number);
    }
  }
  literals(last, 0);
  return { block: Buffer.from(block), bytes: Buffer.from(bytes), offsetAt };
}

describe("LZ4 blocks", () => {
  test("come back as they were", () => {
    fc.assert(
      fc.property(texts, (bytes) => {
        const target = Buffer.alloc(bytes.length);
        expect(decompressLz4Block(compressLz4Block(bytes), target)).toBe(bytes.length);
        expect(target.equals(bytes)).toBe(true);
      }),
    );
  });

  test("are read with literals and matches of any length, which may overlap", () => {
    // Short pieces are copied by other code than long ones.
    const lengths = fc.oneof(
      fc.nat(20),
      fc.integer({ min: 28, max: 36 }),
      fc.integer({ min: 250, max: 600 }),
    );
    const sequence = fc.record({ literals: lengths, match: lengths, offset: lengths });
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 20 }), lengths, fc.nat(50), (sequences, last, at) => {
        const { block, bytes } = writtenBlock(sequences, last);
        // Bytes after the result and before `at` must stay unchanged.
        const target = Buffer.alloc(at + bytes.length + 40, 0xee);
        expect(decompressLz4Block(block, target.subarray(0, at + bytes.length), at)).toBe(at + bytes.length);
        expect(target.subarray(at, at + bytes.length).equals(bytes)).toBe(true);
        expect(target.fill(0xee, at, at + bytes.length).every((byte) => byte === 0xee)).toBe(true);
        if (bytes.length > 0) {
          const short = Buffer.alloc(at + bytes.length - 1);
          expect(() => decompressLz4Block(block, short, at)).toThrow(RangeError);
        }
      }),
    );
  });

  test.each([31, 32, 33, 34, 64])(
    "repeat the last bytes %i times and reach back exactly so far",
    (length) => {
      for (const offset of [1, 2, 3, 31, 32, 33, 64]) {
        const { block, bytes } = writtenBlock([{ literals: 70, match: length - 4, offset: offset - 1 }], 5);
        const target = Buffer.alloc(bytes.length);
        expect(decompressLz4Block(block, target)).toBe(bytes.length);
        expect([offset, target.equals(bytes)]).toEqual([offset, true]);
      }
      const all = writtenBlock([{ literals: length, match: length - 4, offset: length - 1 }], 5);
      expect(decompressLz4Block(all.block, Buffer.alloc(all.bytes.length))).toBe(all.bytes.length);
      // The match starts one byte before the data.
      all.block.writeUInt16LE(length + 1, all.offsetAt);
      expect(() => decompressLz4Block(all.block, Buffer.alloc(all.bytes.length))).toThrow(RangeError);
    },
  );

  test("that are none are refused, and nothing is written past the target", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(200), (bytes, size) => {
        const target = Buffer.alloc(size);
        try {
          expect(decompressLz4Block(Buffer.from(bytes), target)).toBeLessThanOrEqual(size);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

describe("ClickHouse's compressed blocks", () => {
  async function compressed(bytes: Buffer): Promise<Buffer> {
    const compressor = createBlockCompressor();
    compressor.end(bytes);
    return Buffer.concat(await compressor.toArray());
  }

  test("come back as they were, in whatever pieces", async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => `${n} `).join(""));
    const blocks = await compressed(bytes);
    expect(blocks.length).toBeLessThan(bytes.length);
    for (const size of [7, 1000, blocks.length]) {
      expect((await read(decompressBlocks(pieces(blocks, size)))).equals(bytes)).toBe(true);
    }
  });

  test.each([
    [
      "a byte changed",
      (blocks: Buffer) => blocks.fill(blocks.readUInt8(40) ^ 1, 40, 41),
      "CHECKSUM_DOESNT_MATCH",
    ],
    ["the end missing", (blocks: Buffer) => blocks.subarray(0, -1), "in the middle of a block"],
    [
      "a size that is not to be believed",
      (blocks: Buffer) => {
        blocks.writeUInt32LE(0xffff_fff0, 17);
        return blocks;
      },
      "over the limit",
    ],
  ])("%s", async (_name, damage, text) => {
    const blocks = damage(await compressed(Buffer.from("some text, some more text, some text".repeat(9))));
    await expect(read(decompressBlocks(pieces(blocks)))).rejects.toThrow(text);
  });
});

describe("LZ4 frames", () => {
  // Output of `printf 'abcabcabcabcabcabcabcabc'
  // lz4`, with checksums of header and content.
  const block = compressLz4Block(Buffer.from("abcabcabcabcabcabcabcabc"));
  const frame = (...blocks: Buffer[]) => {
    const head = Buffer.from("04224d18644082", "hex");
    const sized = blocks.flatMap((data) => {
      const size = Buffer.alloc(4);
      size.writeUInt32LE(data.length);
      return [size, data];
    });
    return Buffer.concat([head, ...sized, Buffer.alloc(8)]);
  };

  test("one behind the other, with one to be skipped", async () => {
    const skipped = Buffer.from("502a4d1803000000aabbcc", "hex");
    const bytes = Buffer.concat([frame(block, block), skipped, frame(block)]);
    expect((await read(decompressLz4Frames(pieces(bytes, 5)))).toString()).toBe("abc".repeat(24));
  });

  test.each([
    ["cut off", frame(block).subarray(0, 12)],
    ["of something else", Buffer.from("GIF89a")],
    ["with a block over its own limit", frame(Buffer.alloc(70_000))],
    ["with a block that is none", frame(Buffer.from("ffffff", "hex"))],
  ])("%s", async (_name, bytes) => {
    await expect(read(decompressLz4Frames(pieces(bytes)))).rejects.toThrow("CANNOT_DECOMPRESS");
  });
});
