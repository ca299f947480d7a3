import { engineError } from "../engine-error.ts";
import { decompressLz4Block } from "./lz4-block.ts";

/**
 * LZ4 frames, the form of `Content-Encoding: lz4`; Python's clickhouse-connect uses it for inserts. Checksums are
 * skipped, because TCP and the inner format detect errors. Source: lz4 doc/lz4_Frame_format.md
 */
const frameMagic = 0x184d2204;
const skippableMagic = 0x184d2a50;

/** Size limit of a decompressed block in bytes, by three bits in the frame's descriptor. */
const blockSizes: ReadonlyMap<number, number> = new Map([
  [4, 64 * 1024],
  [5, 256 * 1024],
  [6, 1024 * 1024],
  [7, 4 * 1024 * 1024],
]);

/** Maximum distance of matches in linked blocks, in bytes. */
const windowBytes = 64 * 1024;

/** Reads exact numbers of bytes from a stream of chunks. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** @returns undefined when the stream ends too early; `left` is 0 if it ended exactly at the current position */
  async take(count: number): Promise<Buffer | undefined> {
    const parts = [this.#held];
    let length = this.#held.length;
    while (length < count) {
      const { value, done } = await this.#chunks.next();
      if (done === true) {
        this.#held = Buffer.concat(parts, length);
        return undefined;
      }
      parts.push(value);
      length += value.length;
    }
    const all = parts.length === 1 ? this.#held : Buffer.concat(parts, length);
    this.#held = all.subarray(count);
    return all.subarray(0, count);
  }

  get left(): number {
    return this.#held.length;
  }
}

/** The error for an invalid body. @param text the fault, for the client */
function wrong(text: string, cause?: unknown) {
  return engineError("CANNOT_DECOMPRESS", `cannot decompress the body: ${text}`, { cause });
}

/** Takes exactly `count` bytes. @throws EngineError CANNOT_DECOMPRESS when the body ends too early */
async function need(source: ByteSource, count: number): Promise<Buffer> {
  const bytes = await source.take(count);
  if (bytes === undefined) {
    throw wrong("it ends in the middle of an LZ4 frame");
  }
  return bytes;
}

/**
 * Reads concatenated LZ4 frames.
 * @throws EngineError CANNOT_DECOMPRESS
 */
export async function* decompressLz4Frames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const source = new ByteSource(chunks);
  for (;;) {
    const first = await source.take(4);
    if (first === undefined) {
      if (source.left > 0) {
        throw wrong("it is no LZ4 frame");
      }
      return;
    }
    const magic = first.readUInt32LE(0);
    if ((magic & 0xfffffff0) === (skippableMagic | 0)) {
      for (let left = (await need(source, 4)).readUInt32LE(0); left > 0; ) {
        left -= (await need(source, Math.min(left, windowBytes))).length;
      }
      continue;
    }
    if (magic !== frameMagic) {
      throw wrong("it is no LZ4 frame");
    }
    const frame = await readHeader(source);
    yield* decompressBlocks(source, frame);
    if (frame.hasChecksum) {
      await need(source, 4);
    }
  }
}

/** The descriptor of a frame. */
interface FrameHeader {
  /** Maximum number of bytes of a decompressed block. */
  readonly maxBlock: number;
  /** True when four bytes of checksum follow each block. */
  readonly hasBlockChecksum: boolean;
  /** True when four bytes of checksum follow the last block. */
  readonly hasChecksum: boolean;
}

/**
 * Reads the descriptor after the magic number: flags, block size, the content's size if a flag is set, and a checksum.
 */
async function readHeader(source: ByteSource): Promise<FrameHeader> {
  const [flags = 0, sizes = 0] = await need(source, 2);
  const maxBlock = blockSizes.get((sizes >> 4) & 7);
  if (flags >> 6 !== 1 || maxBlock === undefined) {
    throw wrong("its LZ4 frame is of another version");
  }
  if ((flags & 0x01) !== 0) {
    throw wrong("its LZ4 frame needs a dictionary");
  }
  // Size of the content, and the checksum of the header.
  await need(source, ((flags & 0x08) !== 0 ? 8 : 0) + 1);
  return { maxBlock, hasBlockChecksum: (flags & 0x10) !== 0, hasChecksum: (flags & 0x04) !== 0 };
}

/**
 * Reads blocks up to the end mark of a frame, a size of 0. In a size, the highest bit marks a block that is not
 * compressed.
 */
async function* decompressBlocks(
  source: ByteSource,
  { maxBlock, hasBlockChecksum }: FrameHeader,
): AsyncGenerator<Buffer, void> {
  let window = Buffer.alloc(0);
  for (;;) {
    const size = (await need(source, 4)).readUInt32LE(0);
    if (size === 0) {
      return;
    }
    const length = size & 0x7fffffff;
    if (length > maxBlock) {
      throw wrong(`an LZ4 block of ${length} bytes is over the limit of its frame, ${maxBlock}`);
    }
    const bytes = await need(source, length);
    let data = bytes;
    if (size >>> 31 === 0) {
      const target = Buffer.allocUnsafe(window.length + maxBlock);
      window.copy(target);
      try {
        data = target.subarray(window.length, decompressLz4Block(bytes, target, window.length));
      } catch (error) {
        throw wrong((error as Error).message, error);
      }
    }
    if (hasBlockChecksum) {
      await need(source, 4);
    }
    yield data;
    window = Buffer.concat([window, data]).subarray(-windowBytes);
  }
}
