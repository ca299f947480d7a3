import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { BlockCache } from "./block-cache.ts";
import { blockHeaderBytes, lengthsOf, unpackBlockAt } from "./packed-block.ts";
import { ScratchPiece } from "./scratch-piece.ts";
import { type BlockAt, Stream } from "./stream.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Maximum number of blocks, enough for marks or filters of several billion rows. */
const maxBlocks = 1_000_000;

/**
 * A file of compressed blocks from which any piece can be read. It holds only the positions of the blocks. Decompressed
 * blocks are kept in the shared `BlockCache`. The file is closed after each piece, because an open file would still
 * need its disk space after a merge has replaced the part.
 */
export class PackedFile {
  readonly #path: string;
  readonly #cache: BlockCache;
  /** Position of each block in the file; the last entry is the file's end. */
  readonly #places: Float64Array;
  /** Position of each block in the decompressed data; the last entry is the end of the data. */
  readonly #firsts: Float64Array;

  private constructor(path: string, cache: BlockCache, places: readonly number[], firsts: readonly number[]) {
    this.#path = path;
    this.#cache = cache;
    this.#places = Float64Array.from(places);
    this.#firsts = Float64Array.from(firsts);
  }

  /** @throws UnreadablePart when the file does not end with a block; errors of files */
  static open(path: string, cache: BlockCache): PackedFile {
    const places = [0];
    const firsts = [0];
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const header = Buffer.alloc(blockHeaderBytes);
      for (let [at, first] = [0, 0]; at < size; places.push(at), firsts.push(first)) {
        if (readSync(file, header, 0, header.length, at) < header.length || places.length > maxBlocks) {
          throw new UnreadablePart(`${path} does not end behind a block`);
        }
        const { packed, unpacked } = lengthsOf(header);
        at += packed;
        first += unpacked;
        if (at > size) {
          throw new UnreadablePart(`${path} is cut short`);
        }
      }
    } finally {
      closeSync(file);
    }
    return new PackedFile(path, cache, places, firsts);
  }

  /** Bytes of the decompressed data. */
  get length(): number {
    return this.#firsts.at(-1) as number;
  }

  /** Size in memory in bytes. */
  get bytes(): number {
    return this.#places.byteLength + this.#firsts.byteLength;
  }

  /**
   * @param from position in the decompressed data
   * @throws UnreadablePart when it is outside of the data
   */
  streamFrom(from: number): Stream {
    const block = this.#blockWith(from);
    return this.#streamFrom(this.#places[block] as number, from - (this.#firsts[block] as number));
  }

  /**
   * @param block position in the file, from a mark
   * @param byte position in the decompressed data of that block
   * @throws UnreadablePart if this position is not the start of a block
   */
  streamAt(block: number, byte: number): Stream {
    if (this.#places[firstFrom(this.#places, block)] !== block) {
      throw new UnreadablePart(`no block of ${this.#path} begins at ${block}`);
    }
    return this.#streamFrom(block, byte);
  }

  #streamFrom(block: number, byte: number): Stream {
    return new Stream(this.#blockAt, { block, byte });
  }

  readonly #blockAt: BlockAt = (at) =>
    this.#cache.take(`${this.#path}:${at}`, () => {
      const end = this.#places[firstFrom(this.#places, at + 1)];
      if (end === undefined) {
        throw new UnreadablePart(`${this.#path} ends too early`);
      }
      const file = openSync(this.#path, "r");
      try {
        const packed = new ScratchPiece((target) => readSync(file, target, 0, target.length, at), end - at);
        return { bytes: unpackBlockAt(packed.bytes, 0).bytes, end };
      } finally {
        closeSync(file);
      }
    });

  #blockWith(byte: number): number {
    if (!(byte >= 0 && byte < this.length)) {
      throw new UnreadablePart(`${this.#path} has no byte ${byte}`);
    }
    return firstFrom(this.#firsts, byte + 1) - 1;
  }
}

/** @returns index of the first number that is at least `least`, in ascending numbers; their count if all are smaller */
function firstFrom(numbers: Float64Array, least: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] as number) >= least) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}
