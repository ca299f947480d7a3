import { type BlockBytes, type PackedBlock, PlainBytes } from "./packed-block.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Start of a stream: a block of the file, and an offset in the block's decompressed data. */
export interface StreamPlace {
  readonly block: number;
  readonly byte: number;
}

/** Returns the block that begins at a position of a file. @throws UnreadablePart, and errors of files */
export type BlockAt = (at: number) => PackedBlock;

/** Size limit in bytes of one read; no column has more bytes in a granule. */
const maxPieceBytes = 64 * 1024 * 1024;

/** The bytes of one stream, which may extend over several blocks. */
export class Stream {
  readonly #blockAt: BlockAt;
  /** Position of the last block; the next field is the position of its first byte in the stream. */
  #at: number;
  #from: number;

  constructor(blockAt: BlockAt, place: StreamPlace) {
    this.#blockAt = blockAt;
    this.#at = place.block;
    this.#from = -place.byte;
  }

  /**
   * @param from position in the stream; it must not be before the block that was read last
   * @returns a view when a single block has all bytes
   * @throws UnreadablePart when the stream is shorter
   */
  bytes(from: number, length: number): Buffer {
    if (length === 0) {
      return Buffer.alloc(0);
    }
    if (!(length > 0 && length <= maxPieceBytes)) {
      throw new UnreadablePart(`a piece of ${length} bytes`);
    }
    const first = this.#blockWith(from);
    const start = from - this.#from;
    if (start + length <= first.length) {
      return first.subarray(start, start + length);
    }
    const target = Buffer.allocUnsafeSlow(length);
    for (let taken = 0; taken < length; ) {
      const block = this.#blockWith(from + taken);
      const at = from + taken - this.#from;
      taken += block.subarray(at, Math.min(at + length - taken, block.length)).copy(target, taken);
    }
    return target;
  }

  #blockWith(byte: number): BlockBytes {
    if (byte < Math.max(this.#from, 0)) {
      throw new UnreadablePart("a stream is read backwards");
    }
    for (;;) {
      const { bytes, end } = this.#blockAt(this.#at);
      if (byte < this.#from + bytes.length) {
        return bytes;
      }
      if (end <= this.#at) {
        throw new UnreadablePart("a stream ends too early");
      }
      this.#from += bytes.length;
      this.#at = end;
    }
  }
}

/** Reads successive values from a stream. */
export class StreamCursor {
  readonly #stream: Stream;
  #at = 0;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** A cursor over plain bytes. */
  static of(bytes: Buffer): StreamCursor {
    const block = { bytes: new PlainBytes(bytes), end: bytes.length };
    return new StreamCursor(
      new Stream(
        (at) => {
          if (at !== 0) {
            throw new UnreadablePart("bytes are cut short");
          }
          return block;
        },
        { block: 0, byte: 0 },
      ),
    );
  }

  /** Number of bytes that were read. */
  get at(): number {
    return this.#at;
  }

  bytes(length: number): Buffer {
    const bytes = this.#stream.bytes(this.#at, length);
    this.#at += length;
    return bytes;
  }

  /** Reads eight bytes. @throws UnreadablePart for a number above 2^53 */
  uint64(): number {
    const value = Number(this.bytes(8).readBigUInt64LE(0));
    if (!Number.isSafeInteger(value)) {
      throw new UnreadablePart(`the number ${value} is not expected here`);
    }
    return value;
  }

  /** Reads a varint: each byte has seven bits, and the lowest bits are first. */
  varUint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = this.bytes(1)[0] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
    throw new UnreadablePart("a number of more than ten bytes");
  }

  /** Reads a text after its length. */
  text(): Buffer {
    const length = Number(this.varUint());
    return this.bytes(length);
  }
}
