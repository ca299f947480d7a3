import type { Exchange } from "http-engine/exchange";
import { getHeader, type HeaderList } from "http-engine/header-list";
import type { Template } from "http-engine/placeholders";
import type { FileSystem, RemoteStats, StoredFields } from "../../file-systems/file-system.ts";
import { remotePath, statRemote } from "../../file-systems/remote-stats.ts";
import { joinSitePath } from "../../files/site-path.ts";
import type { ServedFile } from "./served-file.ts";

/** A file on another machine. */
export interface RemoteFile {
  /** Path with the root, as `hide` compares it. */
  readonly path: string;
  readonly stats: RemoteStats;
}

/** Settings of the handler that decide what a folder shows. */
interface FolderRules {
  readonly indexNames: readonly Template[];
  readonly isHidden: (path: string, exchange: Exchange) => boolean;
}

/** A found file or folder. */
type FoundRemote = RemoteFile & {
  /** True for the index file of the requested folder. */
  readonly isIndex: boolean;
};

/**
 * Finds the file that a path means, or its folder when that has no index file.
 * @param path path with the root
 * @returns undefined for a missing path, and for a hidden file
 * @throws HttpError of the file system
 */
export async function findRemote(
  exchange: Exchange,
  files: FileSystem,
  path: string,
  { indexNames, isHidden }: FolderRules,
): Promise<FoundRemote | undefined> {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  const stats = await statRemote(exchange, files, remotePath(plain));
  if (stats === undefined) {
    return undefined;
  }
  if (stats.isFolder) {
    for (const name of indexNames) {
      const index = joinSitePath(plain, name(exchange));
      const found = isHidden(index, exchange)
        ? undefined
        : await statRemote(exchange, files, remotePath(index));
      if (found?.isFolder === false) {
        return { path: index, stats: found, isIndex: true };
      }
    }
    return { path: plain, stats, isIndex: false };
  }
  return isHidden(plain, exchange) ? undefined : { path: plain, stats, isIndex: false };
}

/**
 * Describes a file for its response. @param ownEtag tag set by the site; undefined to use the tag of the file system
 */
export function describeRemote(path: string, stats: RemoteStats, ownEtag: string | undefined): ServedFile {
  const { size, etag, modifiedMs } = stats;
  return {
    path,
    size,
    etag: ownEtag ?? etag,
    modifiedMs,
    lastModified: modifiedMs === undefined ? "" : new Date(modifiedMs).toUTCString(),
  };
}

/** Adds the fields that were stored with a file, unless the response already has a field of that name. */
export function addStoredFields(headers: HeaderList, stored: StoredFields | undefined): void {
  const fields = {
    "Content-Encoding": stored?.contentEncoding,
    "Content-Type": stored?.contentType,
    "Cache-Control": stored?.cacheControl,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value && getHeader(headers, name.toLowerCase()) === undefined) {
      headers.push(name, value);
    }
  }
}
