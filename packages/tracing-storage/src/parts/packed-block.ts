import { zstdDecompressSync } from "node:zlib";
import { cityHash128 } from "wire/city-hash";
import { decompressLz4Block } from "../compression/lz4-block.ts";
import { T64Values } from "./t64.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Size of the checksum before each block, which covers the rest of the block. */
const checksumBytes = 16;
/**
 * Size of the header, which contains the method, the block's size from the method on, and the size after decompression.
 */
const headerBytes = 9;
/** Size limit for a file that is decompressed as a whole, such as a primary index. */
const maxFileBytes = 128 * 1024 * 1024;
/** The engine's size limit for decompressed blocks. */
const maxBlockBytes = 64 * 1024 * 1024;

/** Minimum that zlib accepts for `chunkSize`. */
const leastChunk = 64;

/** Number of each method in a block. Source: ClickHouse src/Compression/CompressionInfo.h */
const methods = { none: 0x02, lz4: 0x82, zstd: 0x90, several: 0x91, t64: 0x93 } as const;

/** The decompressed bytes of a block, all in memory or decompressed on demand. */
export interface BlockBytes {
  readonly length: number;
  /** Size in memory in bytes. */
  readonly heldBytes: number;
  subarray(from: number, to: number): Buffer;
}

/** Bytes that are already decompressed. */
export class PlainBytes implements BlockBytes {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#bytes.length;
  }

  get heldBytes(): number {
    return this.#bytes.length;
  }

  subarray(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, to);
  }
}

/** A block of a part's file. */
export interface PackedBlock {
  /** Position of the next block. */
  readonly end: number;
  readonly bytes: BlockBytes;
}

/**
 * @param file a part of a file, from the beginning of a block on
 * @throws UnreadablePart for a block that is incomplete or damaged, or that uses an unsupported method
 */
export function unpackBlockAt(file: Buffer, at: number): PackedBlock {
  const header = at + checksumBytes;
  if (header + headerBytes > file.length) {
    throw new UnreadablePart("a block is cut short in its header");
  }
  const packedBytes = file.readUInt32LE(header + 1);
  const bytes = file.readUInt32LE(header + 5);
  const end = header + packedBytes;
  if (packedBytes < headerBytes || end > file.length) {
    throw new UnreadablePart("a block is cut short");
  }
  if (bytes > maxBlockBytes) {
    throw new UnreadablePart(`a block says that it has ${bytes} bytes`);
  }
  const [low, high] = cityHash128(file.subarray(header, end));
  if (file.readBigUInt64LE(at) !== low || file.readBigUInt64LE(at + 8) !== high) {
    throw new UnreadablePart("a block has not the checksum that it should have");
  }
  const packed = file.subarray(header + headerBytes, end);
  return { end, bytes: unpacked(file[header] as number, packed, bytes) };
}

/** Bytes of a block's checksum and header. */
export const blockHeaderBytes = checksumBytes + headerBytes;

/**
 * Sizes of a block: in the file, including its header, and after decompression. @throws UnreadablePart above the limits
 */
export function lengthsOf(header: Buffer): { readonly packed: number; readonly unpacked: number } {
  const packed = checksumBytes + header.readUInt32LE(checksumBytes + 1);
  const unpacked = header.readUInt32LE(checksumBytes + 5);
  if (packed < blockHeaderBytes || packed > maxBlockBytes || unpacked > maxBlockBytes) {
    throw new UnreadablePart(`a block of ${packed} bytes, ${unpacked} unpacked`);
  }
  return { packed, unpacked };
}

/** Decompresses all blocks of a file. @throws UnreadablePart */
export function unpackFile(file: Buffer): Buffer {
  const blocks: Buffer[] = [];
  let length = 0;
  for (let at = 0; at < file.length; ) {
    const { bytes, end } = unpackBlockAt(file, at);
    length += bytes.length;
    if (length > maxFileBytes) {
      throw new UnreadablePart(`a file has more than ${maxFileBytes} bytes`);
    }
    blocks.push(bytes.subarray(0, bytes.length));
    at = end;
  }
  // A new buffer is used, because a small buffer would keep a larger shared buffer in memory.
  const all = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  for (const block of blocks) {
    filled += block.copy(all, filled);
  }
  return all;
}

/** The bytes are copied, because blocks are used longer than the buffer into which they were read. */
function copyOf(packed: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(packed.length);
  packed.copy(copy);
  return copy;
}

function unpacked(method: number, packed: Buffer, length: number): BlockBytes {
  let bytes: BlockBytes;
  switch (method) {
    case methods.none:
      bytes = new PlainBytes(copyOf(packed));
      break;
    case methods.lz4: {
      const target = Buffer.allocUnsafeSlow(length);
      bytes = new PlainBytes(
        target.subarray(
          0,
          readable(() => decompressLz4Block(packed, target)),
        ),
      );
      break;
    }
    case methods.zstd: {
      // A single chunk is used, because Node's default chunks have only 16 KiB.
      const options = { maxOutputLength: length, chunkSize: Math.max(length, leastChunk) };
      const unpackedBytes = readable(() => zstdDecompressSync(packed, options));
      // Node puts small buffers into shared memory, which is freed only when none of them is used any more.
      const isAlone = unpackedBytes.buffer.byteLength === unpackedBytes.length;
      bytes = new PlainBytes(isAlone ? unpackedBytes : copyOf(unpackedBytes));
      break;
    }
    case methods.t64:
      bytes = new T64Values(copyOf(packed), length);
      break;
    case methods.several:
      bytes = unpackedSeveral(packed, length);
      break;
    default:
      throw new UnreadablePart(`a block is packed by the method ${method}`);
  }
  if (bytes.length !== length) {
    throw new UnreadablePart("a block has not as many bytes as it says");
  }
  return bytes;
}

/**
 * Decompresses a block with several methods: their count, their numbers, and then a block of the last method with a
 * header, but without a checksum.
 */
function unpackedSeveral(packed: Buffer, length: number): BlockBytes {
  const count = packed[0] ?? 0;
  let source = packed.subarray(1 + count);
  let values: BlockBytes = new PlainBytes(source);
  for (let index = count; index > 0; index--) {
    const method = packed[index] as number;
    if (source.length < headerBytes || source[0] !== method || method === methods.several) {
      throw new UnreadablePart("a block of several methods does not have the one that it names");
    }
    const end = source.readUInt32LE(1);
    const bytes = source.readUInt32LE(5);
    if (end < headerBytes || end > source.length || bytes > maxBlockBytes) {
      throw new UnreadablePart("a block of several methods is cut short");
    }
    values = unpacked(method, source.subarray(headerBytes, end), bytes);
    if (index > 1) {
      source = values.subarray(0, values.length);
    }
  }
  if (values.length !== length) {
    throw new UnreadablePart("a block of several methods has another length");
  }
  return values;
}

function readable<T>(unpack: () => T): T {
  try {
    return unpack();
  } catch (error) {
    throw new UnreadablePart(`a block cannot be unpacked: ${(error as Error).message}`);
  }
}
