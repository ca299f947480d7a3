import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BlockCache } from "./block-cache.ts";
import { BloomIndex } from "./bloom-index.ts";
import { type ColumnReader, columnReader } from "./column-reader.ts";
import { CompactLayout } from "./compact-layout.ts";
import type { Layout, ReadGranule } from "./granule.ts";
import { unpackFile } from "./packed-block.ts";
import { PackedFile } from "./packed-file.ts";
import { columnForms } from "./part-columns.ts";
import { PrimaryIndex } from "./primary-index.ts";
import { UnreadablePart } from "./unreadable-part.ts";
import { WideLayout } from "./wide-layout.ts";

/** Column that exists after a lightweight DELETE; it shows which rows still exist. */
const rowMask = "_row_exists";

/** A column of a part, with the reader of its values and the names of its streams. */
export interface PartColumn {
  /** Name of the ClickHouse type. */
  readonly type: string;
  readonly reader: ColumnReader;
  /** Names of the streams with its values. */
  readonly streams: readonly string[];
}

/** Files of a part that were read. */
interface PartFiles {
  readonly index: PrimaryIndex;
  readonly layout: Layout;
  readonly cache: BlockCache;
}

/** A part of a table. Its descriptions are read only once, because a part never changes. */
export class Part {
  readonly folder: string;
  readonly columns: ReadonlyMap<string, PartColumn>;
  readonly index: PrimaryIndex;
  readonly #layout: Layout;
  readonly #cache: BlockCache;
  readonly #filters = new Map<string, BloomIndex | undefined>();
  #filterBytes = 0;

  private constructor(
    folder: string,
    columns: ReadonlyMap<string, PartColumn>,
    { index, layout, cache }: PartFiles,
  ) {
    this.folder = folder;
    this.columns = columns;
    this.index = index;
    this.#layout = layout;
    this.#cache = cache;
  }

  /**
   * @param keyTypes types of the primary key in the part's index
   * @throws UnreadablePart for an unknown form; errors of files
   */
  static open(folder: string, keyTypes: readonly string[], cache: BlockCache): Part {
    const text = (name: string) => readFileSync(join(folder, name), "utf8");
    const forms = columnForms(
      text("columns.txt"),
      text("serialization.json"),
      text("columns_substreams.txt"),
    );
    if (forms.some(({ name }) => name === rowMask)) {
      throw new UnreadablePart("rows of the part are deleted");
    }
    const columns = new Map<string, PartColumn>();
    for (const form of forms) {
      const reader = columnReader(form);
      if (reader !== undefined) {
        columns.set(form.name, { type: form.type, reader, streams: form.streams });
      }
    }
    const index = new PrimaryIndex(unpackFile(readFileSync(join(folder, "primary.cidx"))), keyTypes);
    if (index.rows === 0) {
      throw new UnreadablePart("a part without rows, as a dropped partition leaves for a while");
    }
    const streams = forms.flatMap((form) => form.streams);
    const isCompact = existsSync(join(folder, "data.bin"));
    const layout = new (isCompact ? CompactLayout : WideLayout)(folder, streams, index.rows - 1, cache);
    return new Part(folder, columns, { index, layout, cache });
  }

  /** Size in memory in bytes. */
  get bytes(): number {
    return this.#layout.bytes + this.index.bytes + this.#filterBytes;
  }

  /**
   * @param name name of an index of type `bloom_filter(0.01)` that has a filter for each granule
   * @returns undefined when the part has no file of this index
   * @throws UnreadablePart, and errors of files
   */
  filter(name: string): BloomIndex | undefined {
    if (!this.#filters.has(name)) {
      this.#filters.set(name, this.#openFilter(name));
    }
    return this.#filters.get(name);
  }

  #openFilter(name: string): BloomIndex | undefined {
    const index = `skp_idx_${name}`;
    const path = join(this.folder, `${index}.idx`);
    if (!existsSync(path)) {
      return undefined;
    }
    const filters = PackedFile.open(path, this.#cache);
    const marks = this.#layout.filterMarks(index);
    this.#filterBytes += filters.bytes + marks.bytes;
    return BloomIndex.of(filters, marks);
  }

  /** @throws UnreadablePart, and errors of files */
  read<T>(work: (granule: ReadGranule) => T): T {
    return this.#layout.read(work);
  }
}
