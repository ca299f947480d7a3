import type { BigIntStats } from "node:fs";
import { markStable, maxKeptResponseBytes } from "http-engine/stable-bodies";
import { LRUCache } from "lru-cache";
import { describeFile, type ServedFile } from "./served-file.ts";

/** A file with its bytes. */
export interface CachedFile extends ServedFile {
  /** The whole file. */
  readonly bytes: Buffer;
  /** Time of change in nanoseconds. Another one means other contents. */
  readonly mtimeNs: bigint;
  /** Number of the file. A replaced file has another one, even with the same time. */
  readonly inode: bigint;
  /** Device of the inode. */
  readonly device: bigint;
}

/** The largest file that is kept, in bytes. */
export const maxCachedFileBytes = 1024 * 1024;

/** Bytes of all files of a thread. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Bytes of small files, at most 64 MiB in each thread. An entry is used only while the file's time, size and inode are
 * the ones at the time of reading; the caller has just called `stat`.
 */
export class FileCache {
  readonly #entries = new LRUCache<string, CachedFile>({
    maxSize: maxBytes,
    maxEntrySize: maxCachedFileBytes + 1024,
    // Small ones are kept a second time, with the head that they were last sent with.
    sizeCalculation: ({ bytes }) =>
      bytes.length + (bytes.length > maxKeptResponseBytes ? 512 : bytes.length + 1024),
  });

  /** The bytes of a file, where it is unchanged since they were read. */
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
    markStable(bytes);
    return entry;
  }

  close(): void {
    this.#entries.clear();
  }
}
