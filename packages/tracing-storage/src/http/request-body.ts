import { createWriteStream } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { decompressBlocks } from "../compression/compressed-blocks.ts";
import { decompressLz4Frames } from "../compression/lz4-frame.ts";
import { engineError } from "../engine-error.ts";

const spoolBufferBytes = 1024 * 1024;

const decoders = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  zstd: createZstdDecompress,
  br: createBrotliDecompress,
} as const;

type Decoder = (request: IncomingMessage) => AsyncGenerator<Buffer>;

function decoderOf(encoding: string): Decoder | undefined {
  if (encoding === "lz4") {
    return (request) => decompressLz4Frames({ [Symbol.asyncIterator]: () => chunksOf(request) });
  }
  if (!Object.hasOwn(decoders, encoding)) {
    return undefined;
  }
  const create = decoders[encoding as keyof typeof decoders];
  return (request) => decoded(request, create);
}

async function* limited(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.length;
    if (total > maxBytes) {
      throw engineError("TOO_MANY_BYTES", `the body is over the limit of ${maxBytes} bytes`);
    }
    yield chunk;
  }
}

/**
 * Iterates over the body; leaving the loop early does not close the connection, because the client still waits for an
 * answer.
 */
function chunksOf(request: IncomingMessage): NodeJS.AsyncIterator<Buffer> {
  return request.iterator({ destroyOnReturn: false });
}

async function* decoded(
  request: IncomingMessage,
  create: () => NodeJS.ReadWriteStream,
): AsyncGenerator<Buffer> {
  const decoder = create();
  const fed = pipeline(Readable.from(chunksOf(request)), decoder);
  fed.catch(() => {});
  try {
    for await (const chunk of decoder) {
      yield chunk as Buffer;
    }
    await fed;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_STREAM_PREMATURE_CLOSE") {
      throw error;
    }
    throw engineError("CANNOT_DECOMPRESS", `cannot decompress the body: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The decompressed body of a request, which can be read only once. */
export class RequestBody {
  readonly #chunks: AsyncGenerator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  #ended = false;

  /**
   * @param maxBytes size limit of the body, before and after decompression
   * @param asBlocks true for `decompress=1`: inside its Content-Encoding, the body consists of ClickHouse's compressed
   * blocks
   * @throws EngineError for an unknown Content-Encoding, and a Content-Length over the limit
   */
  constructor(request: IncomingMessage, maxBytes: number, asBlocks: boolean) {
    if (Number(request.headers["content-length"]) > maxBytes) {
      throw engineError("TOO_MANY_BYTES", `the body is over the limit of ${maxBytes} bytes`);
    }
    const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
    const decoder = decoderOf(encoding);
    if (decoder === undefined && encoding !== "identity") {
      throw engineError(
        "NOT_IMPLEMENTED",
        `Content-Encoding ${encoding} is not one of gzip, deflate, zstd, br, lz4`,
      );
    }
    const plain = decoder === undefined ? chunksOf(request) : decoder(request);
    this.#chunks = limited(asBlocks ? decompressBlocks(limited(plain, maxBytes)) : plain, maxBytes);
  }

  /**
   * Reads until at least `bytes` are buffered or the body ends. Later reads also return the buffered bytes.
   * @returns all buffered bytes; `complete` is true if they are the whole body
   */
  async peek(bytes: number): Promise<{ readonly head: Buffer; readonly complete: boolean }> {
    const held = [this.#held];
    let length = this.#held.length;
    while (length < bytes && !this.#ended) {
      const { value, done } = await this.#chunks.next();
      if (done === true) {
        this.#ended = true;
      } else {
        held.push(value);
        length += value.length;
      }
    }
    this.#held = held.length === 1 ? this.#held : Buffer.concat(held, length);
    return { head: this.#held, complete: this.#ended };
  }

  /**
   * Writes `before`, then the body from byte `from` on, to a new file. `from` must not exceed the number of buffered
   * bytes.
   * @returns number of written bytes
   */
  async spool(path: string, before: Buffer, from: number): Promise<number> {
    const file = createWriteStream(path, { flags: "wx", highWaterMark: spoolBufferBytes });
    const source = Readable.from(this.#rest(before, from), {
      objectMode: false,
      highWaterMark: spoolBufferBytes,
    });
    await pipeline(source, file);
    return file.bytesWritten;
  }

  async *#rest(before: Buffer, from: number): AsyncGenerator<Buffer> {
    for (const held of [before, this.#held.subarray(from)]) {
      if (held.length > 0) {
        yield held;
      }
    }
    if (!this.#ended) {
      yield* this.#chunks;
    }
  }
}

/**
 * Reads the rest of a refused body and drops it, within limits. Otherwise, a client that still sends would get a
 * connection error instead of the answer.
 */
export async function drain(request: IncomingMessage, maxBytes: number, maxMs: number): Promise<void> {
  let left = maxBytes;
  const timer = setTimeout(() => request.destroy(), maxMs);
  try {
    for await (const chunk of chunksOf(request)) {
      left -= chunk.length;
      if (left < 0) {
        break;
      }
    }
  } catch {
    // The client has disconnected.
  } finally {
    clearTimeout(timer);
  }
}
