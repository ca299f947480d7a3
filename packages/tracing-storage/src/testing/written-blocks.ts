import { zstdCompressSync } from "node:zlib";
import { cityHash128 } from "wire/city-hash";
import { compressLz4Block } from "../compression/lz4-block.ts";
import { PlainBytes } from "../parts/packed-block.ts";
import { Stream } from "../parts/stream.ts";
import { UnreadablePart } from "../parts/unreadable-part.ts";

/** For tests: the compression methods of a block, with their bytes. */
export const blockMethods = { none: 0x02, lz4: 0x82, zstd: 0x90, several: 0x91, t64: 0x93 } as const;

/** For tests: the integer types of T64, by their byte. */
export const t64Types = [
  { type: 3, width: 4, isSigned: false },
  { type: 8, width: 4, isSigned: true },
  { type: 14, width: 4, isSigned: false },
  { type: 4, width: 8, isSigned: false },
  { type: 9, width: 8, isSigned: true },
  { type: 15, width: 8, isSigned: true },
] as const;

/** Compressed data with a header, without a checksum. */
function behindHeader(method: number, packed: Buffer, length: number): Buffer {
  const header = Buffer.alloc(9);
  header[0] = method;
  header.writeUInt32LE(packed.length + 9, 1);
  header.writeUInt32LE(length, 5);
  return Buffer.concat([header, packed]);
}

/** For tests: a block in the form of a file. */
export function blockOf(method: number, packed: Buffer, length: number): Buffer {
  return sealed(Buffer.concat([Buffer.alloc(16), behindHeader(method, packed, length)]));
}

/** For tests: writes valid checksums into blocks whose headers have valid lengths. */
export function sealed(blocks: Buffer): Buffer {
  const bytes = Buffer.from(blocks);
  for (let at = 0; at + 25 <= bytes.length; ) {
    const end = at + 16 + bytes.readUInt32LE(at + 17);
    if (end > bytes.length || end < at + 25) {
      break;
    }
    const [low, high] = cityHash128(bytes.subarray(at + 16, end));
    bytes.writeBigUInt64LE(low, at);
    bytes.writeBigUInt64LE(high, at + 8);
    at = end;
  }
  return bytes;
}

/** For tests: a block with these bytes. */
export function plainBlock(method: "none" | "lz4" | "zstd", bytes: Buffer): Buffer {
  const pack = { none: (all: Buffer) => all, lz4: compressLz4Block, zstd: zstdCompressSync }[method];
  return blockOf(blockMethods[method], pack(bytes), bytes.length);
}

/** For tests: a block of integers packed by T64, and optionally by a second method. */
export function t64Block(type: number, values: readonly bigint[], then?: "lz4" | "zstd"): Buffer {
  const { width } = t64Types.find((one) => one.type === type) as (typeof t64Types)[number];
  const packed = t64Of(type, values);
  const length = values.length * width;
  if (then === undefined) {
    return blockOf(blockMethods.t64, packed, length);
  }
  const inner = behindHeader(blockMethods.t64, packed, length);
  const outer = plainBlock(then, inner).subarray(16);
  const names = Buffer.from([2, blockMethods.t64, blockMethods[then]]);
  return blockOf(blockMethods.several, Buffer.concat([names, outer]), length);
}

/** For tests: integers in the engine's memory form. */
export function integersOf(width: number, values: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(values.length * width);
  for (const [index, value] of values.entries()) {
    if (width === 4) {
      bytes.writeUInt32LE(Number(BigInt.asUintN(32, value)), index * 4);
    } else {
      bytes.writeBigUInt64LE(BigInt.asUintN(64, value), index * 8);
    }
  }
  return bytes;
}

/** For tests: integers packed by T64, bit by bit. */
export function t64Of(type: number, values: readonly bigint[]): Buffer {
  const { isSigned } = t64Types.find((one) => one.type === type) as (typeof t64Types)[number];
  const sorted = values.toSorted((one, other) => Number(one > other) - Number(one < other));
  const [least, most] = [sorted[0] as bigint, sorted.at(-1) as bigint];
  const bits = bitsOf(least, most, isSigned);
  const header = Buffer.alloc(17);
  header[0] = type;
  header.writeBigUInt64LE(BigInt.asUintN(64, least), 1);
  header.writeBigUInt64LE(BigInt.asUintN(64, most), 9);
  const matrices = Array.from({ length: Math.ceil(values.length / 64) }, (_, index) => {
    const matrix = Buffer.alloc(bits * 8);
    const isSet = (row: number, bit: number) =>
      (((values[index * 64 + row] ?? 0n) >> BigInt(bit)) & 1n) === 1n;
    for (let row = 0; row < 64; row++) {
      for (let bit = 0; bit < bits; bit++) {
        if (!isSet(row, bit)) {
          continue;
        }
        const isOfWholeByte = bit < bits - (bits % 8);
        const at = isOfWholeByte ? (bit >> 3) * 64 + row : bit * 8 + (row >> 3);
        matrix[at] = (matrix[at] as number) | (1 << (isOfWholeByte ? bit & 7 : row & 7));
      }
    }
    return matrix;
  });
  return Buffer.concat([header, ...matrices]);
}

/** The smallest number of low bits, including the sign bit, that can represent all values from `least` to `most`. */
function bitsOf(least: bigint, most: bigint, isSigned: boolean): number {
  for (let bits = 0; ; bits++) {
    const above = (value: bigint) => BigInt.asUintN(64, value) >> BigInt(bits);
    if (above(least) === above(most)) {
      return bits;
    }
    if (isSigned && least < 0n && most >= 0n) {
      const half = 1n << BigInt(Math.max(bits - 1, 0));
      if (bits > 0 && least >= -half && most < half) {
        return bits;
      }
    }
  }
}

/** For tests: a stream of bytes in one block. */
export function streamOf(bytes: Buffer): Stream {
  const block = { bytes: new PlainBytes(bytes), end: bytes.length };
  const blockAt = (at: number) => {
    if (at !== 0) {
      throw new UnreadablePart("bytes are cut short");
    }
    return block;
  };
  return new Stream(blockAt, { block: 0, byte: 0 });
}
