import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../engine/table-folders.ts";
import { BlockCache } from "../parts/block-cache.ts";
import { Part } from "../parts/part.ts";
import { activeParts, type PartName, partNameOf } from "../parts/part-name.ts";
import { UnreadablePart } from "../parts/unreadable-part.ts";

/**
 * Time in milliseconds after a folder's change in which another change may get the same time, because the file system's
 * clock is not exact.
 */
const unsureMs = 100;

export interface TableFolders {
  /** Folder with the parts on the local disk. */
  readonly folder: string;
  /** Folders with names of objects, for parts in a bucket. */
  readonly awayFolders: readonly string[];
}

interface ListedParts {
  readonly atMs: number;
  readonly changedMs: number;
  readonly parts: readonly PartName[];
  /** Partitions with a part in a bucket. */
  readonly away: ReadonlySet<string>;
}

/** The parts of a table, from the present content of its folder. */
export class TableParts {
  readonly #folder: string;
  readonly #awayFolders: readonly string[];
  readonly #cache: PartCache;
  readonly #keyTypes: readonly string[];
  #listed: ListedParts | undefined;

  constructor({ folder, awayFolders }: TableFolders, keyTypes: readonly string[], cache: PartCache) {
    this.#folder = folder;
    this.#awayFolders = awayFolders;
    this.#keyTypes = keyTypes;
    this.#cache = cache;
  }

  /**
   * The parts of these partitions, or of all partitions without an argument.
   * @throws UnreadablePart when a part of these partitions is in a bucket; further as `active`
   */
  local(partitions?: { has(partition: string): boolean }): readonly PartName[] {
    const parts = this.active();
    const away = this.#listed?.away ?? new Set<string>();
    if ([...away].some((partition) => partitions?.has(partition) ?? true)) {
      throw new UnreadablePart("a part is in a bucket");
    }
    return partitions === undefined ? parts : parts.filter(({ partition }) => partitions.has(partition));
  }

  /** @throws UnreadablePart when parts have separate files with changes; errors of files */
  active(): readonly PartName[] {
    const { mtimeMs } = statSync(this.#folder);
    const known = this.#listed;
    const isSure = known !== undefined && known.changedMs === mtimeMs && known.atMs > mtimeMs + unsureMs;
    if (isSure) {
      return known.parts;
    }
    const atMs = Date.now();
    const names = readdirSync(this.#folder);
    if (names.some((name) => name.startsWith("patch-"))) {
      throw new UnreadablePart("a table has patches of its parts");
    }
    const parts = activeParts(names.flatMap((name) => partNameOf(name) ?? []));
    // A part that moves is in the bucket before it leaves the folder, so the bucket is listed last.
    const away = this.#awayFolders.flatMap((one) => namesIn(one)).flatMap((name) => partNameOf(name) ?? []);
    this.#listed = { atMs, changedMs: mtimeMs, parts, away: new Set(away.map(({ partition }) => partition)) };
    return parts;
  }

  /** @throws UnreadablePart, and errors of files */
  open(name: PartName): Part {
    const folder = join(this.#folder, name.text);
    return this.#cache.take(folder, () => Part.open(folder, this.#keyTypes, this.#cache.blocks));
  }
}

/** Cache of the parts that were used last, and of blocks of their files. */
export class PartCache {
  readonly blocks: BlockCache;
  readonly #maxBytes: number;
  readonly #parts = new Map<string, { readonly part: Part; readonly bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number, maxBlockBytes: number) {
    this.#maxBytes = maxBytes;
    this.blocks = new BlockCache(maxBlockBytes);
  }

  take(folder: string, open: () => Part): Part {
    const known = this.#parts.get(folder);
    const part = known?.part ?? open();
    this.#parts.delete(folder);
    // A part may grow, because some of its descriptions are read later.
    const { bytes } = part;
    this.#parts.set(folder, { part, bytes });
    this.#bytes += bytes - (known?.bytes ?? 0);
    for (const [oldest, { bytes: freed }] of this.#parts) {
      if (this.#bytes <= this.#maxBytes || oldest === folder) {
        break;
      }
      this.#parts.delete(oldest);
      this.#bytes -= freed;
    }
    return part;
  }

  /**
   * Removes all parts of a table's folder from the cache, because after some statements a new part may have an old
   * name.
   */
  forget(tableFolder: string): void {
    const prefix = join(tableFolder, "/");
    for (const [folder, { bytes }] of this.#parts) {
      if (!folder.startsWith(prefix)) {
        continue;
      }
      this.#parts.delete(folder);
      this.#bytes -= bytes;
    }
    this.blocks.forget(prefix);
  }
}
