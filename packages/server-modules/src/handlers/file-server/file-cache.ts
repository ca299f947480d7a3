import type { BigIntStats } from "node:fs";
import { markImmutable, maxKeptResponseBytes } from "http-engine/immutable-body-cache";
import { LRUCache } from "lru-cache";
import { describeFile, type ServedFile } from "./served-file.ts";

/** A file and its bytes. */
export interface CachedFile extends ServedFile {
  /** The whole file. */
  readonly bytes: Buffer;
  /** Time of the last change in nanoseconds. A different time means different contents. */
  readonly mtimeNs: bigint;
  /** Inode number. A replaced file has a different number, even with the same time. */
  readonly inode: bigint;
  /** Device of the inode. */
  readonly device: bigint;
}

/** Size limit of a cached file, in bytes. */
export const maxCachedFileBytes = 1024 * 1024;

/** Size limit of the cache in each thread, in bytes. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Cache of small files, at most 64 MiB in each thread. An entry is used only if the file's time, size and inode are
 * unchanged since the read. The caller has called `stat` immediately before, for this comparison.
 */
export class FileCache {
  readonly #entries = new LRUCache<string, CachedFile>({
    maxSize: maxBytes,
    maxEntrySize: maxCachedFileBytes + 1024,
    // A small file needs memory twice: a second copy contains the last sent head and the file.
    sizeCalculation: ({ bytes }) =>
      bytes.length + (bytes.length > maxKeptResponseBytes ? 512 : bytes.length + 1024),
  });

  /** Cached bytes of a file; undefined when the file is not cached, or has changed since the read. */
  find(path: string, stats: BigIntStats): CachedFile | undefined {
    const entry = this.#entries.get(path);
    if (
      entry === undefined ||
      entry.mtimeNs !== stats.mtimeNs ||
      entry.size !== Number(stats.size) ||
      entry.inode !== stats.ino ||
      entry.device !== stats.dev
    ) {
      return undefined;
    }
    return entry;
  }

  /** Caches a file's bytes. @param stats result of `stat`, equal before and after the read */
  keep(path: string, stats: BigIntStats, bytes: Buffer): CachedFile {
    const entry: CachedFile = {
      ...describeFile(path, stats),
      bytes,
      mtimeNs: stats.mtimeNs,
      inode: stats.ino,
      device: stats.dev,
    };
    this.#entries.set(path, entry);
    markImmutable(bytes);
    return entry;
  }

  close(): void {
    this.#entries.clear();
  }
}
