import { engineError } from "../engine-error.ts";
import { decompressLz4Block } from "./lz4-block.ts";

/**
 * LZ4 frames, the form of `Content-Encoding: lz4`; Python's clickhouse-connect sends its inserts so.
 * Checksums are skipped, because TCP and the inner format detect errors. Source: lz4 doc/lz4_Frame_format.md
 */
const frameMagic = 0x184d2204;
const skippableMagic = 0x184d2a50;

/** Most bytes of a decompressed block, by three bits of the frame's descriptor. */
const blockSizes: ReadonlyMap<number, number> = new Map([
  [4, 64 * 1024],
  [5, 256 * 1024],
  [6, 1024 * 1024],
  [7, 4 * 1024 * 1024],
]);

/** How far back matches of linked blocks may reach. */
const windowBytes = 64 * 1024;

/** Takes exact numbers of bytes off a stream of chunks. */
class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** @returns undefined when the stream ends before; the end just here is `atEnd` */
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

/** The error for a body that cannot be read. @param text what is wrong, for the client */
function wrong(text: string, cause?: unknown) {
  return engineError("CANNOT_DECOMPRESS", `cannot decompress the body: ${text}`, { cause });
}

/**
 * Reads concatenated LZ4 frames.
 * @throws EngineError CANNOT_DECOMPRESS
 */
export async function* decompressLz4Frames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const source = new ByteSource(chunks);
  const need = async (count: number): Promise<Buffer> => {
    const bytes = await source.take(count);
    if (bytes === undefined) {
      throw wrong("it ends in the middle of an LZ4 frame");
    }
    return bytes;
  };
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
      for (let left = (await need(4)).readUInt32LE(0); left > 0; ) {
        left -= (await need(Math.min(left, windowBytes))).length;
      }
      continue;
    }
    if (magic !== frameMagic) {
      throw wrong("it is no LZ4 frame");
    }
    const [flags = 0, sizes = 0] = await need(2);
    const maxBlock = blockSizes.get((sizes >> 4) & 7);
    if (flags >> 6 !== 1 || maxBlock === undefined) {
      throw wrong("its LZ4 frame is of another version");
    }
    const hasBlockChecksum = (flags & 0x10) !== 0;
    // Size of the content, id of a dictionary, checksum of the header.
    if ((flags & 0x01) !== 0) {
      throw wrong("its LZ4 frame needs a dictionary");
    }
    await need(((flags & 0x08) !== 0 ? 8 : 0) + 1);
    let window = Buffer.alloc(0);
    for (;;) {
      const size = (await need(4)).readUInt32LE(0);
      if (size === 0) {
        break;
      }
      const length = size & 0x7fffffff;
      if (length > maxBlock) {
        throw wrong(`an LZ4 block of ${length} bytes is over the limit of its frame, ${maxBlock}`);
      }
      const bytes = await need(length);
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
        await need(4);
      }
      yield data;
      window = Buffer.concat([window, data]).subarray(-windowBytes);
    }
    if ((flags & 0x04) !== 0) {
      await need(4);
    }
  }
}
