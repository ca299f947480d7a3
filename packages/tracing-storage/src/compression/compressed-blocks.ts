import { Transform } from "node:stream";
import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { cityHash128 } from "wire/city-hash";
import { engineError } from "../engine-error.ts";
import { compressLz4Block, decompressLz4Block } from "./lz4-block.ts";

const unzstd = promisify(zstdDecompress);

/**
 * ClickHouse's compressed blocks, the form of `compress=1` and `decompress=1`. A block starts with a checksum of 16
 * bytes over the rest of the block. The rest has the method, its own size, the size of the data, and the data. Source:
 * ClickHouse src/Compression/CompressionInfo.h, CompressedReadBufferBase.cpp
 */
const checksumBytes = 16;
const headerBytes = 9;

const methods = { none: 0x02, lz4: 0x82, zstd: 0x90 } as const;

/** Size of the data in a written block; ClickHouse's default of `max_compress_block_size`. */
const writtenBlockBytes = 1024 * 1024;

/**
 * Size limit of a block to read, before and after decompression. ClickHouse's writers make blocks of 1 MiB, and its
 * readers accept 1 GiB.
 */
export const maxReadBlockBytes = 64 * 1024 * 1024;

function writeBlock(data: Buffer): Buffer {
  const compressed = compressLz4Block(data);
  const block = Buffer.allocUnsafe(checksumBytes + headerBytes + compressed.length);
  block.writeUInt8(methods.lz4, checksumBytes);
  block.writeUInt32LE(headerBytes + compressed.length, checksumBytes + 1);
  block.writeUInt32LE(data.length, checksumBytes + 5);
  compressed.copy(block, checksumBytes + headerBytes);
  const [low, high] = cityHash128(block.subarray(checksumBytes));
  block.writeBigUInt64LE(low, 0);
  block.writeBigUInt64LE(high, 8);
  return block;
}

/** Compresses bytes into LZ4 blocks. */
export function createBlockCompressor(): Transform {
  let held: Buffer[] = [];
  let length = 0;
  const flush = (stream: Transform) => {
    const data = Buffer.concat(held, length);
    held = [];
    length = 0;
    for (let from = 0; from < data.length; from += writtenBlockBytes) {
      stream.push(writeBlock(data.subarray(from, from + writtenBlockBytes)));
    }
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held.push(chunk);
      length += chunk.length;
      if (length >= writtenBlockBytes) {
        flush(this);
      }
      done();
    },
    flush(done) {
      flush(this);
      done();
    },
  });
}

async function readBlock(block: Buffer): Promise<Buffer> {
  const [low, high] = cityHash128(block.subarray(checksumBytes));
  if (block.readBigUInt64LE(0) !== low || block.readBigUInt64LE(8) !== high) {
    throw engineError(
      "CHECKSUM_DOESNT_MATCH",
      "Checksum doesn't match: a compressed block of the body is damaged",
    );
  }
  const method = block.readUInt8(checksumBytes);
  const size = block.readUInt32LE(checksumBytes + 5);
  const compressed = block.subarray(checksumBytes + headerBytes);
  if (method === methods.none) {
    return compressed;
  }
  if (method === methods.zstd) {
    return await unzstd(compressed, { maxOutputLength: Math.max(size, 1) });
  }
  if (method !== methods.lz4) {
    throw new RangeError(`method 0x${method.toString(16)} is not one of NONE, LZ4, ZSTD`);
  }
  const data = Buffer.allocUnsafe(size);
  if (decompressLz4Block(compressed, data) !== size) {
    throw new RangeError(`a block is shorter than the ${size} bytes that it names`);
  }
  return data;
}

/**
 * Reads compressed blocks. Sizes are checked before memory is reserved.
 * @throws EngineError CANNOT_DECOMPRESS, CHECKSUM_DOESNT_MATCH
 */
export async function* decompressBlocks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  let length = 0;
  let wanted = checksumBytes + headerBytes;
  const wrong = (text: string, cause?: unknown) =>
    engineError("CANNOT_DECOMPRESS", `cannot decompress the body: ${text}`, { cause });
  for await (const chunk of chunks) {
    held.push(chunk);
    length += chunk.length;
    while (length >= wanted) {
      const all = held.length === 1 ? (held[0] ?? chunk) : Buffer.concat(held, length);
      const block = checksumBytes + all.readUInt32LE(checksumBytes + 1);
      const size = all.readUInt32LE(checksumBytes + 5);
      if (block < checksumBytes + headerBytes || block > maxReadBlockBytes || size > maxReadBlockBytes) {
        throw wrong(
          `a block of ${block} bytes, ${size} decompressed, is over the limit of ${maxReadBlockBytes}`,
        );
      }
      held = [all];
      wanted = block;
      if (length < block) {
        break;
      }
      try {
        yield await readBlock(all.subarray(0, block));
      } catch (error) {
        throw error instanceof RangeError || (error as NodeJS.ErrnoException).code !== undefined
          ? error instanceof Error && error.name === "EngineError"
            ? error
            : wrong((error as Error).message, error)
          : error;
      }
      held = [all.subarray(block)];
      length -= block;
      wanted = checksumBytes + headerBytes;
    }
  }
  if (length > 0) {
    throw wrong("it ends in the middle of a block");
  }
}
