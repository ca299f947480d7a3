import type { BigIntStats } from "node:fs";
import { readRegularFile } from "server-core/files/read-regular-file";
import type { Validators } from "../../files/preconditions.ts";

/** Size, time and tag of a file, read for one response. */
export interface ServedFile extends Validators {
  /** Path for messages; the bytes come from the open file. */
  readonly path: string;
  /** Size in bytes, for `Content-Length` and ranges. */
  readonly size: number;
  /** Value of `Last-Modified`; "" when unknown. */
  readonly lastModified: string;
}

/** True for a meaningful modification time. Build tools set times of 0 or 1 s, which do not depend on the content. */
function isTelling(mtimeNs: bigint): boolean {
  const seconds = mtimeNs / 1_000_000_000n;
  return seconds !== 0n && seconds !== 1n;
}

/** Describes a file; its tag consists of the modification time and the size. Source: Caddy 2.11 */
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

/** Maximum number of characters of a tag; the rest of the sidecar file is cut off. */
const maxEtagBytes = 1024;
const maxEtagFileBytes = 64 * 1024;

/** The tag from a sidecar file; "" when no sidecar exists. @throws the error of an unreadable file */
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
