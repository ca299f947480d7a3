import type { FileSystem, RemoteEntry } from "../../../file-systems/file-system.ts";
import { remotePath } from "../../../file-systems/remote-stats.ts";
import { joinSitePath } from "../../../files/site-path.ts";
import { type ListedFile, type Listing, urlOf } from "./listing.ts";

/** Modes shown for folders and files of remote file systems, which have no modes. */
const folderMode = 2 ** 31 + 0o755;
const fileMode = 0o644;
/** Time shown for an entry without a time. Source: Go, package time, zero value in JSON */
const noTime = "0001-01-01T00:00:00Z";

function listed({ name: own, isFolder, size, modifiedMs }: RemoteEntry): ListedFile {
  const name = isFolder ? `${own}/` : own;
  return {
    name: name.toWellFormed(),
    size,
    url: urlOf(name),
    mod_time: modifiedMs === undefined ? noTime : new Date(modifiedMs).toISOString().replace(/\.?0*Z$/, "Z"),
    mode: isFolder ? folderMode : fileMode,
    is_dir: isFolder,
    is_symlink: false,
  };
}

/** Lists a folder of another file system. @throws HttpError */
export async function listRemote(
  files: FileSystem,
  folder: string,
  limit: number,
  isHidden: (path: string) => boolean,
): Promise<Listing> {
  const entries = await files.list(remotePath(folder), limit);
  const items = entries.filter(({ name }) => !isHidden(joinSitePath(folder, name))).map(listed);
  const own = items.filter((item) => !item.is_dir);
  const totalBytes = own.reduce((sum, { size }) => sum + size, 0);
  return {
    items,
    lastModifiedMs: undefined,
    folders: items.length - own.length,
    files: own.length,
    totalBytes,
    followedBytes: totalBytes,
  };
}
