import type { BigIntStats } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { posix } from "node:path";
import type { Exchange } from "http-engine/exchange";
import { cleanPath } from "server-core/uri/clean-path";
import { escapePath } from "server-core/uri/percent-encoding";
import { textOfBuffer } from "server-core/uri/text-of-bytes";
import { pathBytes } from "../../files/path-bytes.ts";
import { joinSitePath } from "../../files/site-path.ts";
import { DavError } from "./dav-error.ts";

/**
 * Names of temporary files. They lie in the folder of their target, and clients can neither see nor name them.
 *
 * | Ending | Content |
 * |---|---|
 * | `.part` | an unfinished upload or copy, or a resource that is being deleted; removed when its process is gone |
 * | `.tmp` | the old version of a replaced resource; only the request that created the file removes it |
 */
const temporaryName = /^\.webdav-[0-9a-f-]{36}\.(?:tmp|part)$/;
/** Names of temporary files that may be removed after a crash. */
const removableName = /^\.webdav-[0-9a-f-]{36}\.part$/;

/** A file, a folder, or a path where nothing exists. */
export interface Resource {
  /** Path within the share: `/` or `/a/b`, decoded. */
  readonly path: string;
  /** URL path for clients, escaped; a folder's path ends with a slash. */
  readonly href: string;
  /** Path on the disk. The folder part contains no links; the last part may be a link. */
  readonly entry: string;
  /** Path of the content on the disk, with links resolved. */
  readonly file: string;
  /** Result of `stat`; undefined for a missing file. */
  readonly stats: BigIntStats | undefined;
  /** True when the parent folder exists. */
  readonly hasParent: boolean;
}

/** An existing resource. */
export type FoundResource = Resource & { readonly stats: BigIntStats };

/** True for an error that means "does not exist". */
function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
}

/** Resolves to undefined when the resource is absent. */
async function orUndefined<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsent(error)) {
      return undefined;
    }
    throw error;
  }
}

/** The path with links resolved; undefined for a missing file. */
async function realPath(path: string): Promise<string | undefined> {
  const found = await orUndefined(realpath(pathBytes(path), { encoding: "buffer" }));
  return found === undefined ? undefined : textOfBuffer(found);
}

/** True for a path at or below the folder. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

/** Removes a final slash: `/a/` becomes `/a`; the root `/` stays. */
function withoutFinalSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** True for the name of a temporary file. */
export function isTemporary(name: string): boolean {
  return temporaryName.test(name);
}

/** True for the name of a file that nobody needs once its request is over. */
export function isRemovable(name: string): boolean {
  return removableName.test(name);
}

/**
 * The files below a root, and the URL paths of requests. With root `/srv` and prefix `/files`, `/files/a%20b` is the
 * file `/srv/a b`. Links may lead to other places below the root, but not out of the root.
 */
export class Share {
  /** Root path with links resolved. */
  readonly root: string;
  /** Prefix of URL paths that clients use; "" without a prefix. */
  readonly #prefix: string;
  /** Prefix of paths that the handler sees. */
  readonly #strip: string;

  private constructor(root: string, prefix: string, strip: string) {
    this.root = root;
    this.#prefix = prefix;
    this.#strip = strip;
  }

  /**
   * @param prefix prefix of the config; "": the part that earlier handlers stripped from the path
   * @throws DavError 404 when the root does not exist
   */
  static async open(exchange: Exchange, root: string, prefix: string): Promise<Share> {
    const real = await realPath(root);
    if (real === undefined) {
      throw new DavError(404);
    }
    const strip = withoutFinalSlash(cleanPath(`/${prefix}`));
    if (strip !== "/") {
      return new Share(real, strip, strip);
    }
    const sent = exchange.original.target.path;
    const { path } = exchange;
    const cut = path.startsWith("/") && sent.endsWith(path) ? sent.slice(0, -path.length) : "";
    return new Share(real, cut, "");
  }

  /** Finds the requested resource. @throws DavError 403 or 404 */
  async find(exchange: Exchange): Promise<Resource> {
    const path = this.#within(exchange.path, this.#strip);
    if (path === undefined) {
      throw new DavError(404);
    }
    return this.resolve(path);
  }

  /**
   * Finds the resource of a URL in a header field.
   * @param path decoded path of a URL
   * @returns undefined for a path outside this share
   */
  async findElsewhere(path: string): Promise<Resource | undefined> {
    const within = this.#within(path, this.#prefix);
    return within === undefined ? undefined : this.resolve(within);
  }

  /** Finds a resource. @param path path within the share. @throws DavError 403 when a link leads out of the root */
  async resolve(path: string): Promise<Resource> {
    const href = escapePath(this.#prefix + path);
    if (path === "/") {
      const stats = await stat(pathBytes(this.root), { bigint: true });
      const folder = withoutFinalSlash(href);
      return {
        path,
        href: folder === "/" ? "/" : `${folder}/`,
        entry: this.root,
        file: this.root,
        stats,
        hasParent: true,
      };
    }
    const name = posix.basename(path);
    if (path.split("/").some(isTemporary)) {
      throw new DavError(403, "the name is kept for uploads under way");
    }
    const folder = await realPath(joinSitePath(this.root, posix.dirname(path)));
    if (folder === undefined || !(await stat(pathBytes(folder))).isDirectory()) {
      const entry = joinSitePath(this.root, path);
      return { path, href, entry, file: entry, stats: undefined, hasParent: false };
    }
    this.#check(folder);
    const entry = joinSitePath(folder, name);
    return this.#resolveEntry(path, href, entry);
  }

  /** Finds a member of a known folder, without resolving the folder again. @throws DavError 403 */
  member(folder: FoundResource, name: string): Promise<Resource> {
    const path = folder.path === "/" ? `/${name}` : `${folder.path}/${name}`;
    return this.#resolveEntry(path, escapePath(this.#prefix + path), joinSitePath(folder.file, name));
  }

  /** Follows a link at the end of a path. @throws DavError 403 for a link that is broken or leads out of the root */
  async #resolveEntry(path: string, href: string, entry: string): Promise<Resource> {
    const place = { path, href, entry };
    const stats = await orUndefined(lstat(pathBytes(entry), { bigint: true }));
    if (!stats?.isSymbolicLink()) {
      return {
        ...place,
        href: stats?.isDirectory() ? `${href}/` : href,
        file: entry,
        stats,
        hasParent: true,
      };
    }
    const file = await realPath(entry);
    if (file === undefined) {
      throw new DavError(403, "a symbolic link leads nowhere");
    }
    this.#check(file);
    const found = await stat(pathBytes(file), { bigint: true });
    return { ...place, href: found.isDirectory() ? `${href}/` : href, file, stats: found, hasParent: true };
  }

  /** @throws DavError 403 for a path outside the root */
  #check(path: string): void {
    if (!isWithin(path, this.root)) {
      throw new DavError(403, "a symbolic link leads out of the root");
    }
  }

  /** The path without the prefix; undefined for a path that does not begin with the prefix. */
  #within(path: string, prefix: string): string | undefined {
    const clean = withoutFinalSlash(cleanPath(path));
    return isWithin(clean, prefix === "" ? "/" : prefix)
      ? withoutFinalSlash(`/${clean.slice(prefix.length).replace(/^\//, "")}`)
      : undefined;
  }
}

/** @throws DavError 404 when the resource does not exist */
export function existing(resource: Resource): FoundResource {
  if (resource.stats === undefined) {
    throw new DavError(404);
  }
  return resource as FoundResource;
}
