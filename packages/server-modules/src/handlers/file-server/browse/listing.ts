import type { BigIntStats } from "node:fs";
import { lstat, opendir, readlink, stat } from "node:fs/promises";
import { join } from "node:path";
import { escapePath } from "server-core/uri/percent-encoding";
import { textOfBuffer } from "server-core/uri/text-of-bytes";
import { goMode } from "../../../files/go-mode.ts";
import { pathBytes } from "../../../files/path-bytes.ts";

/** One entry of a folder, as in the JSON of a listing. Source: Caddy 2.11 */
export interface ListedFile {
  /** File name; folders end with a slash. Bytes that are not UTF-8 become U+FFFD. */
  readonly name: string;
  /** Size in bytes that `stat` reports; for a symbolic link, the size of its target. */
  readonly size: number;
  /** Relative URL, as `./name`. */
  readonly url: string;
  /** Time of the last change: RFC 3339, UTC, with nanoseconds. */
  readonly mod_time: string;
  /** Mode in the form of Go's `fs.FileMode`: permissions in the low bits, file types in the high bits. */
  readonly mode: number;
  /** True for a folder, and for a symbolic link to a folder. */
  readonly is_dir: boolean;
  readonly is_symlink: boolean;
  /** Target of the symbolic link, when targets are shown. */
  readonly symlink_path?: string;
}

/** The entries of a folder, and their totals. */
export interface Listing {
  /** Entries in the order of the file system. */
  readonly items: readonly ListedFile[];
  /**
   * Time of the newest change in milliseconds since 1970, for `Last-Modified`; undefined for remote file systems, where
   * a removed file changes no time.
   */
  readonly lastModifiedMs: number | undefined;
  readonly folders: number;
  readonly files: number;
  /** Bytes of all files together. A symbolic link counts with its own bytes, not with the bytes of its target. */
  readonly totalBytes: number;
  /** The same with the bytes of the targets of links. */
  readonly followedBytes: number;
}

/** Bounds of a listing. */
export interface ListOptions {
  /** Maximum number of entries; further entries are left out. */
  readonly limit: number;
  /** True when the targets of symbolic links are read. */
  readonly revealSymlinks: boolean;
  /** True for a path that must not be listed. */
  readonly isHidden: (path: string) => boolean;
}

/** Nanoseconds per second. */
const second = 1_000_000_000n;

/** Formats a time with nanoseconds, without trailing zeros: `2024-05-01T10:00:00.5Z`. */
function timeText({ mtime, mtimeNs }: BigIntStats): string {
  const nanoseconds = ((mtimeNs % second) + second) % second;
  const fraction = `.${String(nanoseconds).padStart(9, "0")}`.replace(/\.?0*$/, "");
  return mtime.toISOString().replace(/\.\d+Z$/, `${fraction}Z`);
}

/** Encodes `a b?.txt` as `./a%20b%3F.txt`. The leading `./` prevents a name with a colon from looking like a scheme. */
export function urlOf(name: string): string {
  // A name that is not valid UTF-8 is escaped byte by byte.
  const escaped = name.isWellFormed()
    ? encodeURI(name).replace(/[?#]/g, encodeURIComponent)
    : escapePath(name);
  return `./${escaped}`;
}

/** An entry, and the bytes of the entry itself: of a link, not of its target. */
type ReadEntry = readonly [item: ListedFile, ownBytes: number];

/** Reads the facts about an entry; undefined for a deleted file. A link to a folder is listed as a folder. */
async function listEntry(folder: string, own: string, reveal: boolean): Promise<ReadEntry | undefined> {
  const path = pathBytes(join(folder, own));
  let stats: BigIntStats;
  try {
    stats = await lstat(path, { bigint: true });
  } catch {
    // The file was deleted in the meantime, or is not readable.
    return undefined;
  }
  const isLink = stats.isSymbolicLink();
  const target = isLink ? await stat(path, { bigint: true }).catch(() => undefined) : undefined;
  const isFolder = stats.isDirectory() || target?.isDirectory() === true;
  const link = isLink && reveal ? await readlink(path).catch(() => "") : "";
  const name = isFolder ? `${own}/` : own;
  const item = {
    name: name.toWellFormed(),
    size: Number(target?.size ?? stats.size),
    url: urlOf(name),
    mod_time: timeText(stats),
    mode: goMode(stats),
    is_dir: isFolder,
    is_symlink: isLink,
    ...(link === "" ? {} : { symlink_path: link }),
  };
  return [item, Number(stats.size)];
}

/** Lists a folder, at most `limit` entries. @throws the error of a folder that cannot be read */
export async function listFolder(folder: string, options: ListOptions): Promise<Listing> {
  const place = pathBytes(folder);
  const { mtimeMs } = await stat(place);
  const names: string[] = [];
  // Names of files are bytes, and some names are no valid UTF-8.
  for await (const entry of await opendir(place, { encoding: "buffer" as BufferEncoding })) {
    if (names.length >= options.limit) {
      break;
    }
    names.push(textOfBuffer(entry.name as unknown as Buffer));
  }
  const entries: ReadEntry[] = [];
  for (const name of names) {
    if (!options.isHidden(join(folder, name))) {
      const entry = await listEntry(folder, name, options.revealSymlinks);
      if (entry !== undefined) {
        entries.push(entry);
      }
    }
  }
  const items = entries.map(([item]) => item);
  const files = entries.filter(([item]) => !item.is_dir);
  return {
    items,
    lastModifiedMs: items.reduce((newest, item) => Math.max(newest, Date.parse(item.mod_time)), mtimeMs),
    folders: items.length - files.length,
    files: files.length,
    totalBytes: files.reduce((sum, [, ownBytes]) => sum + ownBytes, 0),
    followedBytes: files.reduce((sum, [item]) => sum + item.size, 0),
  };
}
