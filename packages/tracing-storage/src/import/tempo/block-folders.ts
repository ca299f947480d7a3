import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type BlockMeta, parseBlockMeta } from "./block-meta.ts";

/** Maximum number of bytes of `meta.json`. */
const maxMetaBytes = 1024 * 1024;

export interface FoundBlock {
  readonly folder: string;
  readonly meta: BlockMeta;
}

export interface FoundBlocks {
  /** Blocks to read, the oldest first. */
  readonly blocks: readonly FoundBlock[];
  /** Blocks whose spans are in another block too: merged ones, and those that another block replaces. */
  readonly copied: number;
  /** Blocks that cannot be read, with the reason. */
  readonly faults: readonly { readonly folder: string; readonly message: string }[];
}

/**
 * Finds blocks: in a bucket's folder (`tenant/block/meta.json`), a tenant's folder, or a block itself.
 * @throws Error with a code when the folder itself cannot be read
 */
export function findBlocks(folder: string): FoundBlocks {
  const folders = foldersOfBlocks(folder);
  const blocks: FoundBlock[] = [];
  const faults: FoundBlocks["faults"][number][] = [];
  let copied = 0;
  for (const each of folders) {
    // A merged block has `meta.compacted.json` until Tempo deletes it.
    if (!isFile(join(each, "meta.json"))) {
      copied++;
      continue;
    }
    try {
      blocks.push({ folder: each, meta: readMeta(join(each, "meta.json")) });
    } catch (error) {
      faults.push({ folder: each, message: (error as Error).message });
    }
  }
  const replaced = new Set(blocks.flatMap(({ meta }) => meta.replaces));
  const live = blocks.filter(({ meta }) => !replaced.has(meta.blockId));
  return { blocks: live.toSorted(byAge), copied: copied + blocks.length - live.length, faults };
}

function foldersOfBlocks(folder: string): string[] {
  if (isBlock(folder)) {
    return [folder];
  }
  const below = subfolders(folder);
  return below.flatMap((each) => (isBlock(each) ? [each] : subfolders(each).filter(isBlock)));
}

function subfolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry: Dirent) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    .sort();
}

function isBlock(folder: string): boolean {
  return isFile(join(folder, "meta.json")) || isFile(join(folder, "meta.compacted.json"));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function readMeta(path: string): BlockMeta {
  const { size } = statSync(path);
  if (size > maxMetaBytes) {
    throw new Error(`meta.json has ${size} bytes; the limit is ${maxMetaBytes}`);
  }
  return parseBlockMeta(readFileSync(path, "utf8"));
}

function byAge(one: FoundBlock, other: FoundBlock): number {
  return one.meta.startMs - other.meta.startMs || (one.meta.blockId < other.meta.blockId ? -1 : 1);
}
