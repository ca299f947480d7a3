import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { ByteRange } from "../files/byte-ranges.ts";

/** Facts about a file or folder of a file system other than the machine's own. */
export interface RemoteStats {
  /** True for a folder, which has neither size nor time nor tag. */
  readonly isFolder: boolean;
  /** Bytes; 0 for folders. */
  readonly size: number;
  /** Entity tag with its quotes; "" when there is none. */
  readonly etag: string;
  /** Time of the last change in milliseconds since 1970; undefined when unknown. */
  readonly modifiedMs: number | undefined;
  /** Absent for folders, in listings, and when no fields are stored. */
  readonly stored?: StoredFields;
}

/** Header fields that were stored with a file; "" for a field that was not stored. */
export interface StoredFields {
  /** Coding of the stored bytes: without it, clients could not read them. */
  readonly contentEncoding: string;
  readonly contentType: string;
  readonly cacheControl: string;
}

/** A file or folder in a folder. */
export interface RemoteEntry extends RemoteStats {
  /** Name without a slash. */
  readonly name: string;
}

/**
 * A file system that `file_server` and the matcher `file` read over a network. Paths have no slash at their beginning
 * and end; "" is the root.
 */
export interface FileSystem extends ModuleInstance {
  /** @returns undefined when there is neither a file nor a folder. @throws HttpError */
  stat(path: string): Promise<RemoteStats | undefined>;
  /** Lists a folder, at most `limit` entries. @throws HttpError */
  list(path: string, limit: number): Promise<RemoteEntry[]>;
  /**
   * Reads a part of a file, piece by piece, as fast as the pieces are taken.
   * @param stats the file as `stat` found it
   * @throws HttpError when the file was replaced in the meantime
   */
  read(path: string, stats: RemoteStats, range: ByteRange): AsyncGenerator<Buffer>;
}

/** Modules for the member `file_system` of the app `caddy.filesystems`. Source: Caddy 2.11 */
export const fileSystems: ModuleNamespace<FileSystem> = { prefix: "caddy.fs" };
