import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blockMethods, blockOf, integersOf, plainBlock, t64Block } from "../testing/written-blocks.ts";
import { unpackBlockAt, unpackFile } from "./packed-block.ts";
import { UnreadablePart } from "./unreadable-part.ts";

const texts = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
  fc
    .array(fc.constantFrom("ab", "abcabc", "x".repeat(300)), { minLength: 1, maxLength: 100 })
    .map((parts) => Buffer.from(parts.join(""))),
);
const plainBlocks = fc
  .tuple(fc.constantFrom("none" as const, "lz4" as const, "zstd" as const), texts)
  .map(([method, bytes]) => ({ bytes, block: plainBlock(method, bytes) }));
const integerBlocks = fc
  .tuple(
    fc.constantFrom(undefined, "lz4" as const, "zstd" as const),
    fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { minLength: 1, maxLength: 200 }),
  )
  .map(([then, values]) => ({ bytes: integersOf(8, values), block: t64Block(9, values, then) }));

describe("a file of blocks", () => {
  test("comes back whole, and block by block from any place", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(plainBlocks, integerBlocks), { maxLength: 6 }),
        fc.nat(7),
        (blocks, shift) => {
          // In memory, a file may begin at any address.
          const file = Buffer.concat([Buffer.alloc(shift), ...blocks.map(({ block }) => block)]).subarray(
            shift,
          );
          expect(unpackFile(file).equals(Buffer.concat(blocks.map(({ bytes }) => bytes)))).toBe(true);
          let at = 0;
          for (const { block, bytes } of blocks) {
            const read = unpackBlockAt(file, at);
            expect([read.end, read.bytes.length]).toEqual([at + block.length, bytes.length]);
            expect(read.bytes.subarray(0, bytes.length).equals(bytes)).toBe(true);
            at = read.end;
          }
        },
      ),
    );
  });

  test("is refused when its last block is cut short anywhere", () => {
    const blocks = [
      ...(["none", "lz4", "zstd"] as const).map((method) =>
        plainBlock(method, Buffer.from("abc".repeat(20))),
      ),
      ...([undefined, "lz4", "zstd"] as const).map((then) => t64Block(4, [1n, 2n, 300n], then)),
    ];
    for (const block of blocks) {
      for (let length = 1; length < block.length; length++) {
        expect(() => unpackFile(Buffer.concat([block, block.subarray(0, length)]))).toThrow(UnreadablePart);
      }
    }
  });
});

/** Memory that stays in use because of a block. */
function keptBytes(file: Buffer): readonly [kept: number, said: number] {
  const { bytes } = unpackBlockAt(file, 0);
  return [bytes.subarray(0, 8).buffer.byteLength, bytes.heldBytes];
}

describe("a block", () => {
  test.each(["none", "lz4", "zstd"] as const)("packed by %s keeps nothing of its file", (method) => {
    const block = plainBlock(method, Buffer.alloc(5_000, "any text, "));
    expect(keptBytes(Buffer.concat([block, Buffer.alloc(1_000_000)]))).toEqual([5_000, 5_000]);
  });

  test("is refused when any of its bytes is another", () => {
    const block = plainBlock("lz4", Buffer.alloc(300, "any text, "));
    for (let at = 0; at < block.length; at++) {
      const damaged = Buffer.from(block);
      damaged[at] = (damaged[at] as number) ^ (1 << (at % 8));
      expect(() => unpackBlockAt(damaged, 0)).toThrow(UnreadablePart);
    }
  });

  const packed = Buffer.from("some text, some more text");
  const several = (...bytes: number[]) => Buffer.from(bytes);

  test.each([
    ["with fewer bytes than it says", blockOf(blockMethods.none, packed, packed.length + 1)],
    ["with more bytes than it says", blockOf(blockMethods.none, packed, packed.length - 1)],
    ["of LZ4 with fewer bytes than it says", blockOf(blockMethods.lz4, several(0x10, 65), 2)],
    ["of LZ4 with more bytes than it says", blockOf(blockMethods.lz4, several(0x20, 65, 66), 1)],
    ["of LZ4 that is none", blockOf(blockMethods.lz4, several(0x1f, 65, 9, 9), 100)],
    ["of ZSTD that is none", blockOf(blockMethods.zstd, packed, 100)],
    ["of ZSTD with no bytes", blockOf(blockMethods.zstd, several(), 0)],
    ["of an unknown method", blockOf(0x92, packed, packed.length)],
    ["over 64 MiB", blockOf(blockMethods.none, packed, 64 * 1024 * 1024 + 1)],
    ["of several methods that are none", blockOf(blockMethods.several, several(), 5)],
    ["of several methods, the last one missing", blockOf(blockMethods.several, several(1, 0x82), 5)],
    [
      "of several methods, the last one another",
      blockOf(
        blockMethods.several,
        Buffer.concat([several(1, 0x82), plainBlock("zstd", packed).subarray(16)]),
        packed.length,
      ),
    ],
    [
      "of several methods, with another length inside",
      blockOf(
        blockMethods.several,
        Buffer.concat([several(1, 0x82), plainBlock("lz4", packed).subarray(16)]),
        packed.length + 1,
      ),
    ],
  ])("%s is refused", (_name, block) => {
    expect(() => unpackFile(block)).toThrow(UnreadablePart);
  });

  test("whose size does not go past its header is refused, and does not go on for ever", () => {
    const block = plainBlock("none", packed);
    for (const size of [0, 1, 8]) {
      block.writeUInt32LE(size, 17);
      expect(() => unpackFile(block)).toThrow(UnreadablePart);
    }
  });

  test("of several methods in several methods, and so on, is refused", () => {
    // Each block contains the next one as its compressed data.
    const levels = Array.from({ length: 20_000 }, (_, level, left = 20_000 - level) => {
      const header = Buffer.alloc(11);
      header[0] = blockMethods.several;
      header.writeUInt32LE(11 * left, 1);
      header.writeUInt32LE(4, 5);
      header[9] = 1;
      header[10] = blockMethods.several;
      return header;
    });
    expect(() => unpackFile(Buffer.concat([Buffer.alloc(16), ...levels]))).toThrow(UnreadablePart);
  });
});
