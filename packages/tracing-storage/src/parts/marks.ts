import type { BlockCache } from "./block-cache.ts";
import { PackedFile } from "./packed-file.ts";
import type { StreamPlace } from "./stream.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Size in bytes of a position, which consists of a block in the marked file and an offset inside the block. */
const placeBytes = 16;
const rowsBytes = 8;

/**
 * Marks of a part's file. Each granule has a mark with the positions of its streams, and with its number of rows. For
 * 100 million rows, the marks of a wide part have 50 MB, so only the needed marks are decompressed. Source: ClickHouse
 * src/Storages/MergeTree/MergeTreeIndexGranularityInfo.h
 */
export class Marks {
  readonly #file: PackedFile;
  readonly #markBytes: number;
  /** The mark that was read last; it is kept because most marks are read once for each stream. */
  #last: { readonly granule: number; readonly mark: Buffer } | undefined;

  private constructor(file: PackedFile, markBytes: number) {
    this.#file = file;
    this.#markBytes = markBytes;
  }

  /**
   * @param streams number of streams in each mark
   * @param count expected number of marks
   * @throws UnreadablePart when the number differs; errors of files
   */
  static open(path: string, streams: number, count: number, cache: BlockCache): Marks {
    const file = PackedFile.open(path, cache);
    const markBytes = streams * placeBytes + rowsBytes;
    if (file.length !== count * markBytes) {
      throw new UnreadablePart("marks are not those of the index");
    }
    return new Marks(file, markBytes);
  }

  /** Size in memory in bytes. */
  get bytes(): number {
    return this.#file.bytes;
  }

  /** @throws UnreadablePart */
  place(granule: number, stream: number): StreamPlace {
    const mark = this.#mark(granule);
    const at = stream * placeBytes;
    return { block: uint64At(mark, at), byte: uint64At(mark, at + 8) };
  }

  /** @throws UnreadablePart */
  rows(granule: number): number {
    return uint64At(this.#mark(granule), this.#markBytes - rowsBytes);
  }

  #mark(granule: number): Buffer {
    if (this.#last?.granule === granule) {
      return this.#last.mark;
    }
    const from = granule * this.#markBytes;
    // A new buffer is used, because a small slice would keep Node's shared buffer of 64 KiB in memory.
    const mark = Buffer.allocUnsafeSlow(this.#markBytes);
    this.#file.streamFrom(from).bytes(0, this.#markBytes).copy(mark);
    this.#last = { granule, mark };
    return mark;
  }
}

/** Reads a position in a file, or a number of rows. */
function uint64At(mark: Buffer, at: number): number {
  return mark.readUInt32LE(at) + mark.readUInt32LE(at + 4) * 2 ** 32;
}
