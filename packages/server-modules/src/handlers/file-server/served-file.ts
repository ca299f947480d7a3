import type { BigIntStats } from "node:fs";
import { readRegularFile } from "server-core/files/read-regular-file";
import type { Validators } from "../../files/preconditions.ts";

/** Size, time and tag of a file, read for one answer. */
export interface ServedFile extends Validators {
  /** Path for messages; the bytes come from the open file. */
  readonly path: string;
  /** Bytes that `Content-Length` and ranges count with. */
  readonly size: number;
  /** Value of `Last-Modified`; "" when it is not known. */
  readonly lastModified: string;
}

/** Nanoseconds of 1970-01-01T00:00:01. Build tools set times of 0 or 1 s, which say nothing about the content. */
function isTelling(mtimeNs: bigint): boolean {
  const seconds = mtimeNs / 1_000_000_000n;
  return seconds !== 0n && seconds !== 1n;
}

/** Describes a file; its tag is made of time and size. Source: the public model (Caddy 2.11) */
export function describeFile(path: string, stats: BigIntStats): ServedFile {
  const telling = isTelling(stats.mtimeNs);
  const modifiedMs = Number(stats.mtimeNs / 1_000_000n);
  return {
    path,
    size: Number(stats.size),
    etag: telling ? `"${stats.mtimeNs.toString(36)}-${stats.size.toString(36)}"` : "",
    modifiedMs: telling ? modifiedMs : undefined,
    lastModified: telling ? new Date(modifiedMs).toUTCString() : "",
  };
}

/** Characters of a tag that are kept, and the largest file that one is read from. */
const maxEtagBytes = 1024;
const maxEtagFileBytes = 64 * 1024;

/** The tag that a sidecar file holds; "" when no sidecar exists. @throws the error of a file that cannot be read */
export async function readEtagFile(path: string, extensions: readonly string[]): Promise<string> {
  for (const extension of extensions) {
    try {
      const text = (await readRegularFile(path + extension, maxEtagFileBytes)).toString("latin1");
      return text.replace(/[^\x20-\x7e\x80-\xff]/g, "").slice(0, maxEtagBytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        throw error;
      }
    }
  }
  return "";
}
