import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { BlockCache } from "./block-cache.ts";
import type { Granule, Layout, ReadGranule } from "./granule.ts";
import { Marks } from "./marks.ts";
import { blockHeaderBytes, lengthsOf, unpackBlockAt } from "./packed-block.ts";
import { ScratchPiece } from "./scratch-piece.ts";
import { type BlockAt, Stream, type StreamPlace } from "./stream.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** A shared value, and the position from which it was read. */
interface Shared {
  readonly place: StreamPlace;
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * Layout of large parts, with a separate file for each stream; a block may contain several granules. Source: ClickHouse
 * src/Storages/MergeTree/MergeTreeDataPartWriterWide.cpp
 */
export class WideLayout implements Layout {
  readonly granules: number;
  readonly #folder: string;
  readonly #streams: ReadonlySet<string>;
  readonly #cache: BlockCache;
  readonly #marks = new Map<string, Marks>();
  /** The newest shared value of each stream. Granules that refer to the same place reuse the value. */
  readonly #shared = new Map<string, Shared>();

  /** @param streams streams of all columns */
  constructor(folder: string, streams: readonly string[], granules: number, cache: BlockCache) {
    this.#folder = folder;
    this.#streams = new Set(streams);
    this.#cache = cache;
    this.granules = granules;
  }

  get bytes(): number {
    const marks = [...this.#marks.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    return [...this.#shared.values()].reduce((sum, { bytes }) => sum + bytes, marks);
  }

  filterMarks(index: string): Marks {
    return Marks.open(join(this.#folder, `${index}.cmrk2`), 1, this.granules, this.#cache);
  }

  read<T>(work: (granule: ReadGranule) => T): T {
    const files = new Map<string, number>();
    const fileOf = (stream: string) => {
      const file = files.get(stream) ?? openSync(join(this.#folder, `${stream}.bin`), "r");
      files.set(stream, file);
      return file;
    };
    try {
      return work((granule) => this.#granule(fileOf, granule));
    } finally {
      for (const file of files.values()) {
        closeSync(file);
      }
    }
  }

  /** @param fileOf returns the open file of a stream; the file is opened when its first block is not in the cache */
  #granule(fileOf: (stream: string) => number, granule: number): Granule {
    const blockOf =
      (name: string): BlockAt =>
      (at) =>
        this.#cache.take(`${this.#folder}/${name}:${at}`, () => {
          const file = fileOf(name);
          const length = blockLength(file, at);
          const packed = new ScratchPiece((target) => readSync(file, target, 0, length, at), length);
          return { bytes: unpackBlockAt(packed.bytes, 0).bytes, end: at + length };
        });
    const stream = (name: string) => new Stream(blockOf(name), this.#place(granule, name));
    return {
      rows: this.#rowsOf(granule),
      stream,
      shared: <T>(name: string, make: (stream: Stream) => { readonly value: T; readonly bytes: number }) => {
        const place = this.#place(granule, name);
        const known = this.#shared.get(name);
        if (known?.place.block === place.block && known.place.byte === place.byte) {
          return known.value as T;
        }
        const made = make(stream(name));
        this.#shared.set(name, { place, ...made });
        return made.value;
      },
    };
  }

  /** The marks of every stream have the number of rows, so any stream could be used. */
  #rowsOf(granule: number): number {
    const [stream = ""] = this.#streams;
    return this.#marksOf(stream).rows(granule);
  }

  /** Position of a granule in the file of a stream. */
  #place(granule: number, stream: string): StreamPlace {
    return this.#marksOf(stream).place(granule, 0);
  }

  /** Reads a file of marks, only once. @throws UnreadablePart for an unknown stream */
  #marksOf(stream: string): Marks {
    const known = this.#marks.get(stream);
    if (known !== undefined) {
      return known;
    }
    if (!this.#streams.has(stream)) {
      throw new UnreadablePart(`there is no stream ${stream}`);
    }
    const path = join(this.#folder, `${stream}.cmrk2`);
    const marks = Marks.open(path, 1, this.granules + 1, this.#cache);
    this.#marks.set(stream, marks);
    return marks;
  }
}

/** @throws UnreadablePart when the file ends inside the block's header */
function blockLength(file: number, at: number): number {
  const header = Buffer.allocUnsafe(blockHeaderBytes);
  if (readSync(file, header, 0, header.length, at) < header.length) {
    throw new UnreadablePart("a file ends in the header of a block");
  }
  return lengthsOf(header).packed;
}
