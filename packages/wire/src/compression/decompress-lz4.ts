import { WireError } from "../errors.ts";
import { readLz4Block } from "./lz4-block.ts";
import { xxHash32 } from "./xx-hash-32.ts";

/** First number of a frame, little-endian: the bytes `04 22 4d 18`. */
const frameMagic = 0x184d2204;
/**
 * Skippable frames contain data of other programs. Their magic numbers differ only in the last hex digit; such frames
 * are skipped.
 */
const skippableMagic = 0x184d2a50;
/** The highest bit of a block's size. If this bit is set, the block is not compressed. */
const isStoredBit = 0x8000_0000;
/** Size limit of a decompressed block in bytes, by its code in the frame's descriptor. */
const blockBytes = [0, 0, 0, 0, 64 * 1024, 256 * 1024, 1024 * 1024, 4 * 1024 * 1024];

/**
 * Decompresses LZ4 frames, the format of `Content-Encoding: lz4`. The input may contain several frames.
 * @param maxBytes size limit of the result in bytes; memory grows with the result
 * @returns new memory
 * @throws WireError WIRE_TOO_LARGE above `maxBytes`; WIRE_TRUNCATED; WIRE_MALFORMED, for example for a wrong checksum
 *   or a frame that needs a dictionary
 *
 * Source: lz4/lz4 doc/lz4_Frame_format.md.
 */
export function decompressLz4(bytes: Uint8Array, maxBytes: number): Buffer {
  return new Lz4Frames(bytes, maxBytes).read();
}

/** Reads frames from the position `#at`, and collects their content in `#output`. */
class Lz4Frames {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #maxBytes: number;
  #at = 0;
  #output: Buffer;
  #length = 0;

  constructor(bytes: Uint8Array, maxBytes: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#maxBytes = maxBytes;
    this.#output = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(1024, bytes.length * 4)));
  }

  read(): Buffer {
    while (this.#at < this.#bytes.length) {
      const magic = this.#number();
      if (magic === frameMagic) {
        this.#frame();
      } else if ((magic & 0xffff_fff0) === (skippableMagic | 0)) {
        this.#take(this.#number());
      } else {
        throw malformed("begins with other bytes than a frame", this.#at - 4);
      }
    }
    return this.#output.subarray(0, this.#length);
  }

  /**
   * Reads a frame after its magic number:
   *
   * | Bytes | Meaning |
   * |---|---|
   * | 1 | version (high 2 bits) and flags |
   * | 1 | size of the largest block, as an index of `blockBytes` |
   * | 0 or 8 | size of the content, which is not needed |
   * | 1 | second byte of the header's xxHash, as its checksum |
   * | 4 + n (+ 4) | each block: its size, its bytes, and a checksum if a flag is set |
   * | 4 (+ 4) | a size of 0 after the last block, and the content's checksum if a flag is set |
   */
  #frame(): void {
    const descriptor = this.#at;
    const flags = this.#byte();
    const most = blockBytes[(this.#byte() >>> 4) & 7] as number;
    if (flags >>> 6 !== 1 || most === 0) {
      throw malformed("has a frame of an unknown version", descriptor);
    }
    const hasBlockSums = (flags & 0x10) !== 0;
    const hasSum = (flags & 0x04) !== 0;
    if ((flags & 0x08) !== 0) {
      this.#take(8);
    }
    if ((flags & 0x01) !== 0) {
      throw malformed("needs a dictionary", descriptor);
    }
    const sum = (xxHash32(this.#bytes, descriptor, this.#at) >>> 8) & 0xff;
    if (this.#byte() !== sum) {
      throw malformed("has a wrong checksum of a header", descriptor);
    }
    const start = this.#length;
    for (let size = this.#number(); size !== 0; size = this.#number()) {
      const isStored = (size & isStoredBit) !== 0;
      const from = this.#take(size & ~isStoredBit);
      if (isStored) {
        this.#stored(from, most);
      } else {
        this.#block(from, start, most);
      }
      if (hasBlockSums) {
        this.#checkSum(this.#bytes, from, this.#at);
      }
    }
    if (hasSum) {
      this.#checkSum(this.#output, start, this.#length);
    }
  }

  /** Copies a block that is not compressed. */
  #stored(from: number, most: number): void {
    const count = this.#at - from;
    if (count > most) {
      throw malformed("has a block over its size", from);
    }
    this.#reserve(count);
    this.#output.set(this.#bytes.subarray(from, this.#at), this.#length);
    this.#length += count;
  }

  /** @param start start of the frame in the output; blocks may refer to earlier blocks of the frame */
  #block(from: number, start: number, most: number): void {
    // Reserves space for the largest result of the block, within the limit.
    this.#reserve(Math.min(most, Math.max(1, this.#maxBytes - this.#length)));
    const end = Math.min(this.#length + most, this.#output.length);
    const length = readLz4Block(
      { bytes: this.#bytes, from, to: this.#at },
      { output: this.#output, at: this.#length, start, most: end },
    );
    if (length === -1) {
      if (end < this.#length + most) {
        throw this.#tooLarge();
      }
      throw malformed("has a block over its size", from);
    }
    this.#length = length;
  }

  /** Compares the next four bytes with the xxHash of `bytes[start, end)`. */
  #checkSum(bytes: Uint8Array, start: number, end: number): void {
    if (this.#number() !== xxHash32(bytes, start, end)) {
      throw malformed("has a wrong checksum", this.#at - 4);
    }
  }

  /** Reserves space for `count` more bytes. @throws WireError WIRE_TOO_LARGE above `#maxBytes` */
  #reserve(count: number): void {
    const wanted = this.#length + count;
    if (wanted > this.#maxBytes) {
      throw this.#tooLarge();
    }
    if (wanted <= this.#output.length) {
      return;
    }
    const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(wanted, this.#output.length * 2)));
    this.#output.copy(grown, 0, 0, this.#length);
    this.#output = grown;
  }

  /** Skips `count` bytes. @returns the position of the first skipped byte */
  #take(count: number): number {
    const from = this.#at;
    if (count > this.#bytes.length - from) {
      throw new WireError("WIRE_TRUNCATED", `LZ4 data ends at byte ${this.#bytes.length}, inside a frame`);
    }
    this.#at = from + count;
    return from;
  }

  #byte(): number {
    return this.#bytes[this.#take(1)] as number;
  }

  #number(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  #tooLarge(): WireError {
    return new WireError("WIRE_TOO_LARGE", `LZ4 data stands for more than the limit of ${this.#maxBytes}`);
  }
}

function malformed(what: string, at: number): WireError {
  return new WireError("WIRE_MALFORMED", `LZ4 data ${what} at byte ${at}`);
}
