import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { BlockCache } from "./block-cache.ts";
import type { Granule, Layout, ReadGranule } from "./granule.ts";
import { Marks } from "./marks.ts";
import { unpackBlockAt } from "./packed-block.ts";
import { ScratchPiece } from "./scratch-piece.ts";
import { type BlockAt, Stream } from "./stream.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/**
 * Layout of a part with all columns in one file. A granule's rows are stored by column, each column in separate blocks,
 * whose positions are in the marks. Source: ClickHouse src/Storages/MergeTree/MergeTreeDataPartWriterCompact.cpp,
 * MergeTreeIndexGranularityInfo.h
 */
export class CompactLayout implements Layout {
  readonly granules: number;
  readonly #folder: string;
  readonly #streams: ReadonlyMap<string, number>;
  readonly #marks: Marks;
  readonly #cache: BlockCache;

  /**
   * @param streams streams of all columns, in the order of the file
   * @throws UnreadablePart, and errors of files
   */
  constructor(folder: string, streams: readonly string[], granules: number, cache: BlockCache) {
    this.#folder = folder;
    this.#streams = new Map(streams.map((name, index) => [name, index]));
    this.#cache = cache;
    this.granules = granules;
    // The last mark is the end of the last granule, and has no rows.
    this.#marks = Marks.open(join(folder, "data.cmrk4"), streams.length, granules + 1, cache);
    if (this.#marks.rows(granules) !== 0) {
      throw new UnreadablePart("marks are not those of the index");
    }
  }

  get bytes(): number {
    return this.#marks.bytes;
  }

  filterMarks(index: string): Marks {
    return Marks.open(join(this.#folder, `${index}.cmrk4`), 1, this.granules, this.#cache);
  }

  read<T>(work: (granule: ReadGranule) => T): T {
    let file: number | undefined;
    const opened = () => {
      file ??= openSync(join(this.#folder, "data.bin"), "r");
      return file;
    };
    try {
      return work((granule, streams) => this.#granule(opened, granule, streams));
    } finally {
      if (file !== undefined) {
        closeSync(file);
      }
    }
  }

  #granule(file: () => number, granule: number, streams: readonly string[] | undefined): Granule {
    const numbers = streams?.map((name) => this.#numberOf(name)) ?? [0, this.#streams.size - 1];
    const begin = this.#marks.place(granule, Math.min(...numbers)).block;
    const end = this.#blockAfter(granule, Math.max(...numbers));
    const packed = new ScratchPiece(
      (target) => readSync(file(), target, 0, target.length, begin),
      end - begin,
    );
    const blockAt: BlockAt = (at) =>
      this.#cache.take(`${this.#folder}:${at}`, () => {
        const block = unpackBlockAt(packed.bytes, at - begin);
        return { bytes: block.bytes, end: block.end + begin };
      });
    const stream = (name: string) => new Stream(blockAt, this.#marks.place(granule, this.#numberOf(name)));
    return { rows: this.#marks.rows(granule), stream, shared: (name, make) => make(stream(name)).value };
  }

  /** End position of a stream's blocks, which is the start of the next column's blocks. */
  #blockAfter(granule: number, stream: number): number {
    const { block } = this.#marks.place(granule, stream);
    for (let next = stream + 1; next < this.#streams.size; next++) {
      const after = this.#marks.place(granule, next).block;
      if (after !== block) {
        return after;
      }
    }
    return this.#marks.place(granule + 1, 0).block;
  }

  #numberOf(name: string): number {
    const number = this.#streams.get(name);
    if (number === undefined) {
      throw new UnreadablePart(`there is no stream ${name}`);
    }
    return number;
  }
}
