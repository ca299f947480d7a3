import { type BigIntStats, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { posix } from "node:path";
import type { Exchange } from "http-engine/exchange";
import type { HttpHandler, Next } from "http-engine/handler";
import { getHeader, removeHeaders } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { compileFileTemplate, compileTemplate, type Template } from "http-engine/placeholders";
import { openFlags } from "server-core/files/read-regular-file";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import type { ResourceKind } from "server-core/modules/usage-pool";
import { runFor } from "server-core/threads/error-owner";
import type { z } from "zod";
import { acceptedEncodings } from "../../encoding/accepted-encodings.ts";
import type { FileSystem } from "../../file-systems/file-system.ts";
import { type NamedFileSystems, openFileSystems } from "../../file-systems/filesystems-app.ts";
import { remotePath, statRemote } from "../../file-systems/remote-stats.ts";
import type { ByteRange } from "../../files/byte-ranges.ts";
import { mediaTypeOf } from "../../files/media-type.ts";
import { pathBytes } from "../../files/path-bytes.ts";
import { compileFileSystem, compileRoot, joinSitePath, ownFiles } from "../../files/site-path.ts";
import { type Browser, compileBrowse, type ListedPlace } from "./browse/browse.ts";
import { loadBrowseTemplate } from "./browse/browse-template.ts";
import { FileCache, maxCachedFileBytes } from "./file-cache.ts";
import { openError, statError } from "./file-error.ts";
import { fileServerSchema } from "./file-server-config.ts";
import { addStoredFields, describeRemote, findRemote, type RemoteFile } from "./find-remote.ts";
import { compileHidden } from "./hidden-files.ts";
import { redirectTo } from "./redirect.ts";
import { sendFile } from "./send-file.ts";
import { describeFile, readEtagFile, type ServedFile } from "./served-file.ts";

/** All file servers of all configs share one cache, so served files stay cached across reloads. */
const fileCaches: ResourceKind<FileCache> = { name: "file caches" };

/** File suffix of each coding's sidecar. */
const suffixes = { gzip: ".gz", br: ".br", zstd: ".zst" } as const;

/** Codings of sidecar files. */
type Coding = keyof typeof suffixes;

type Config = z.infer<typeof fileServerSchema>;

/** The chosen file for a request, and the coding of its bytes. */
interface Chosen {
  /** Path of the requested file: its extension decides the media type. */
  readonly named: string;
  /** Path of the file that is sent, perhaps a compressed sidecar. */
  readonly path: string;
  /** Size and times of that file. */
  readonly stats: BigIntStats;
  /** Coding of the sidecar; "" when the file itself was chosen. */
  readonly coding: Coding | "";
}

/** Result of `stat` for a path; undefined for a missing file. */
function statOf(path: string): BigIntStats | undefined {
  return statSync(pathBytes(path), { bigint: true, throwIfNoEntry: false });
}

function baseName(path: string): string {
  return posix.basename(path);
}

/**
 * The steps of a request:
 * 1. The path is joined to the root; `..` cannot leave the root.
 * 2. A folder becomes its index file, or its listing.
 * 3. Hidden and missing files are 404, or go to the next handler.
 * 4. A missing or superfluous final slash is redirected.
 * 5. A sidecar in a coding that the client accepts may replace the file.
 * 6. Unchanged files are sent from memory, other files from the disk.
 */
class FileServer implements HttpHandler {
  /** True: a file in memory is answered synchronously. For other files the handler enters the request's async context itself. */
  readonly startsNothing = true;
  /** Cache of small files, shared in this thread. */
  readonly #cache: FileCache;
  readonly #rootOf: (exchange: Exchange) => string;
  /** The file system of a request; undefined for an unknown name. */
  readonly #filesOf: (exchange: Exchange) => FileSystem | typeof ownFiles | undefined;
  /** Tests a path against `hide`, with placeholders of the request. */
  readonly #isHidden: (path: string, exchange: Exchange) => boolean;
  readonly #indexNames: readonly Template[];
  /** Lists folders; undefined when listings are disabled. */
  readonly #browse: Browser | undefined;
  readonly #canonical: boolean;
  readonly #status: Template | undefined;
  readonly #passThrough: boolean;
  /** Codings of sidecars, in order of preference. */
  readonly #codings: readonly Coding[];
  readonly #etagExtensions: readonly string[];

  /** @param others file systems besides the machine's own */
  constructor(config: Config, cache: FileCache, browse: Browser | undefined, others: NamedFileSystems) {
    this.#cache = cache;
    this.#rootOf = compileRoot(config.root);
    this.#filesOf = compileFileSystem(config.fs, others);
    this.#isHidden = compileHidden(config.hide ?? []);
    this.#indexNames = (config.index_names ?? ["index.html", "index.txt"]).map((name) =>
      compileFileTemplate(name),
    );
    this.#browse = browse;
    this.#canonical = config.canonical_uris !== false;
    const status = String(config.status_code ?? "");
    this.#status = status === "" ? undefined : compileTemplate(status);
    this.#passThrough = config.pass_thru === true;
    const known = config.precompressed ?? {};
    const ordered: Coding[] = [...(config.precompressed_order ?? []), "br", "zstd", "gzip"];
    this.#codings = [...new Set(ordered)].filter((coding) => known[coding]);
    this.#etagExtensions = config.etag_file_extensions ?? [];
  }

  get inRehearsal(): "answers" | "may answer" {
    return this.#passThrough ? "may answer" : "answers";
  }

  handle(exchange: Exchange, next: Next): void | Promise<void> {
    const files = this.#filesOf(exchange);
    if (files === undefined) {
      throw new HttpError(404, "filesystem not found");
    }
    if (files !== ownFiles) {
      return runFor(exchange, () => this.#serveRemote(exchange, next, files));
    }
    const root = this.#rootOf(exchange);
    let path = joinSitePath(root, exchange.path);
    if (path.length > 1 && path.endsWith("/")) {
      path = path.slice(0, -1);
    }
    let stats: BigIntStats | undefined;
    try {
      stats = statOf(path);
    } catch (error) {
      const failure = statError(error);
      if (failure.status === 404) {
        return this.#notFound(exchange, next);
      }
      throw failure;
    }
    if (stats === undefined) {
      return this.#notFound(exchange, next);
    }
    const folder = path;
    const isFolder = stats.isDirectory();
    if (isFolder) {
      const index = this.#findIndex(path, exchange);
      if (index === undefined) {
        return this.#list(exchange, next, { root, folder });
      }
      ({ path, stats } = index);
      if (stats.isDirectory()) {
        return this.#list(exchange, next, { root, folder: path });
      }
    }
    if (this.#isHidden(path, exchange)) {
      return this.#notFound(exchange, next);
    }
    if (!stats.isFile()) {
      throw new HttpError(403, "not a regular file");
    }
    if (this.#redirect(exchange, isFolder)) {
      return undefined;
    }
    exchange.answersAlone = true;
    exchange.responseHeaders.push("Vary", "Accept-Encoding");
    const chosen = this.#chooseCoding(exchange, path, stats);
    if (exchange.method !== "GET" && exchange.method !== "HEAD" && exchange.error === undefined) {
      exchange.responseHeaders.push("Allow", "GET, HEAD");
      throw new HttpError(405);
    }
    return this.#serve(exchange, next, chosen);
  }

  /** The same steps for a file on another machine, without the cache. */
  async #serveRemote(exchange: Exchange, next: Next, files: FileSystem): Promise<void> {
    const root = this.#rootOf(exchange);
    const found = await findRemote(exchange, files, joinSitePath(root, exchange.path), {
      indexNames: this.#indexNames,
      isHidden: this.#isHidden,
    });
    if (found === undefined) {
      return this.#notFound(exchange, next);
    }
    if (found.stats.isFolder) {
      return this.#list(exchange, next, { root, folder: found.path, files });
    }
    if (this.#redirect(exchange, found.isIndex)) {
      return;
    }
    exchange.responseHeaders.push("Vary", "Accept-Encoding");
    const chosen = await this.#chooseRemote(exchange, files, found);
    if (exchange.method !== "GET" && exchange.method !== "HEAD" && exchange.error === undefined) {
      exchange.responseHeaders.push("Allow", "GET, HEAD");
      throw new HttpError(405);
    }
    const ownEtag = getHeader(exchange.responseHeaders, "etag");
    const file = describeRemote(chosen.path, chosen.stats, ownEtag);
    this.#describe(exchange, file, { named: found.path, coding: chosen.coding }, ownEtag !== undefined);
    addStoredFields(exchange.responseHeaders, chosen.stats.stored);
    const source = {
      readRange: (range: ByteRange) => files.read(remotePath(chosen.path), chosen.stats, range),
    };
    return sendFile(exchange, file, source, this.#statusOf(exchange));
  }

  /** Like {@link #chooseCoding}. */
  async #chooseRemote(
    exchange: Exchange,
    files: FileSystem,
    { path, stats }: RemoteFile,
  ): Promise<RemoteFile & { readonly coding: Coding | "" }> {
    for (const coding of acceptedEncodings(exchange.header("accept-encoding"), this.#codings)) {
      const sidecar = path + suffixes[coding as Coding];
      const found = this.#isHidden(sidecar, exchange)
        ? undefined
        : await statRemote(exchange, files, remotePath(sidecar));
      if (found?.isFolder === false) {
        return { path: sidecar, stats: found, coding: coding as Coding };
      }
    }
    return { path, stats, coding: "" };
  }

  /** Answers 404, or calls the next handler with `pass_thru`. */
  #notFound(exchange: Exchange, next: Next): void | Promise<void> {
    if (this.#passThrough) {
      return next(exchange);
    }
    throw new HttpError(404);
  }

  /** The first existing index file. If the index is a folder, it is listed. */
  #findIndex(folder: string, exchange: Exchange): { path: string; stats: BigIntStats } | undefined {
    for (const name of this.#indexNames) {
      const path = joinSitePath(folder, name(exchange));
      if (this.#isHidden(path, exchange)) {
        continue;
      }
      try {
        const stats = statOf(path);
        if (stats !== undefined) {
          return { path, stats };
        }
      } catch {
        // An unreadable index counts as absent, because the next index name may exist.
      }
    }
    return undefined;
  }

  /** Lists a folder, when listings are enabled and the folder is not hidden. */
  #list(exchange: Exchange, next: Next, place: ListedPlace): void | Promise<void> {
    if (this.#browse === undefined || this.#isHidden(place.folder, exchange)) {
      return this.#notFound(exchange, next);
    }
    exchange.answersAlone = true;
    return runFor(exchange, this.#browse, {
      ...place,
      exchange,
      isHidden: this.#isHidden,
      notFound: () => this.#notFound(exchange, next),
    });
  }

  /** Redirects only when the last path segment was not rewritten: otherwise the client would loop. */
  #redirect(exchange: Exchange, isFolder: boolean): boolean {
    if (!this.#canonical) {
      return false;
    }
    const { path, rawPath } = exchange.original.target;
    if (isFolder === path.endsWith("/") || baseName(path) !== baseName(exchange.path)) {
      return false;
    }
    redirectTo(exchange, isFolder ? `${rawPath}/` : rawPath.replace(/(?:\/|%2f)$/i, ""));
    return true;
  }

  /** Chooses the sidecar in the client's preferred coding, or the file itself if no sidecar fits. */
  #chooseCoding(exchange: Exchange, path: string, stats: BigIntStats): Chosen {
    if (this.#codings.length > 0) {
      for (const coding of acceptedEncodings(exchange.header("accept-encoding"), this.#codings)) {
        const sidecar = path + suffixes[coding as Coding];
        try {
          const found = this.#isHidden(sidecar, exchange) ? undefined : statOf(sidecar);
          if (found?.isFile()) {
            return { named: path, path: sidecar, stats: found, coding: coding as Coding };
          }
        } catch {
          // Ignored: without a sidecar the uncompressed file is sent.
        }
      }
    }
    return { named: path, path, stats, coding: "" };
  }

  /** Status from the config or an error; 0 when neither sets one. */
  #statusOf(exchange: Exchange): number {
    if (this.#status === undefined) {
      return exchange.error?.status ?? 0;
    }
    const text = this.#status(exchange);
    if (!/^[2-9]\d\d$/.test(text)) {
      throw new HttpError(500, `status_code ${JSON.stringify(text)} is not a final status, 200 to 999`);
    }
    return Number(text);
  }

  /** Sends a file from memory, or reads it. */
  #serve(exchange: Exchange, next: Next, chosen: Chosen): void | Promise<void> {
    const ownEtag = getHeader(exchange.responseHeaders, "etag");
    const cached = this.#cache.find(chosen.path, chosen.stats);
    if (cached !== undefined && ownEtag === undefined && this.#etagExtensions.length === 0) {
      this.#describe(exchange, cached, chosen);
      return sendFile(exchange, cached, cached.bytes, this.#statusOf(exchange));
    }
    return runFor(exchange, () => this.#read(exchange, next, chosen, ownEtag));
  }

  /** Opens, reads and sends a file. A small file is cached. */
  async #read(exchange: Exchange, next: Next, chosen: Chosen, ownEtag: string | undefined): Promise<void> {
    let handle: FileHandle;
    try {
      handle = await open(pathBytes(chosen.path), openFlags);
    } catch (error) {
      const failure = openError(error, exchange);
      if (failure.status === 404) {
        return this.#notFound(exchange, next);
      }
      throw failure;
    }
    let sending: void | Promise<void>;
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) {
        throw new HttpError(403, "not a regular file"); // the path was a regular file a moment ago
      }
      const described = describeFile(chosen.path, stats);
      const etag = ownEtag ?? ((await readEtagFile(chosen.path, this.#etagExtensions)) || described.etag);
      const file: ServedFile = { ...described, etag };
      const status = this.#statusOf(exchange);
      this.#describe(exchange, file, chosen, ownEtag !== undefined);
      if (file.size <= maxCachedFileBytes) {
        const bytes = await this.#readWhole(handle, stats, chosen.path);
        await handle.close();
        return sendFile(exchange, file, bytes, status);
      }
      sending = sendFile(exchange, file, handle, status);
    } catch (error) {
      await handle.close().catch(() => {});
      throw error;
    }
    return sending;
  }

  /** Reads a file and caches the bytes if the file did not change meanwhile. */
  async #readWhole(handle: FileHandle, stats: BigIntStats, path: string): Promise<Buffer> {
    const size = Number(stats.size);
    const bytes = Buffer.allocUnsafe(size);
    let length = 0;
    while (length < size) {
      const { bytesRead } = await handle.read(bytes, length, size - length, length);
      if (bytesRead === 0) {
        throw new HttpError(500, "the file became shorter while it was read");
      }
      length += bytesRead;
    }
    const after = await handle.stat({ bigint: true });
    if (after.mtimeNs === stats.mtimeNs && after.size === stats.size) {
      this.#cache.keep(path, stats, bytes);
    }
    return bytes;
  }

  /** Sets the header fields of the file: coding, tag, time of change, type. */
  #describe(
    exchange: Exchange,
    file: ServedFile,
    chosen: Pick<Chosen, "named" | "coding">,
    hasEtag = false,
  ): void {
    const headers = exchange.responseHeaders;
    if (chosen.coding !== "") {
      headers.push("Content-Encoding", chosen.coding);
    }
    if (file.etag !== "" && !hasEtag) {
      headers.push("Etag", file.etag);
    }
    if (file.lastModified !== "") {
      if (getHeader(headers, "last-modified") !== undefined) {
        // As in Caddy, the file's modification time replaces a configured `Last-Modified`. A configured tag
        // and a configured type stay.
        removeHeaders(headers, (name) => name === "last-modified");
      }
      headers.push("Last-Modified", file.lastModified);
    }
    if (getHeader(headers, "content-type") === undefined) {
      const type = mediaTypeOf(chosen.named);
      if (type !== "") {
        headers.push("Content-Type", type);
      }
    }
  }
}

/** Serves files from a folder. Source: Caddy 2.11 */
export const fileServer = defineModule({
  id: "http.handlers.file_server",
  config: fileServerSchema,
  async provision(config: Config, context: ModuleContext): Promise<HttpHandler> {
    const cache = await context.acquire(fileCaches, "", () => new FileCache());
    const template = config.browse?.template_file;
    const render = template ? await loadBrowseTemplate(template) : undefined;
    const browse = config.browse ? compileBrowse(config.browse, render) : undefined;
    return new FileServer(config, cache.value, browse, await openFileSystems(context, config.fs));
  },
});
