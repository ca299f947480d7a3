import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A file of the console, ready to be sent. */
export interface ConsoleFile {
  /** Its `Content-Type`. */
  readonly type: string;
  /** Content as in the folder. */
  readonly bytes: Uint8Array;
  /** Content compressed with gzip. */
  readonly gzipped: Uint8Array;
}

/** Media types by extension; files with other extensions are not served. */
const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** Matches names that the build creates. Such a name cannot lead out of the folder. */
const assetName = /^[\w-]+(?:\.[\w-]+)*\.(css|js|svg)$/;

/**
 * The built console, read from its folder. Files are cached, except the page, because a new build changes the file
 * names in the page.
 */
export class ConsoleFiles {
  readonly #folder: string;
  /** Cached files by name. Failed reads are not cached. */
  readonly #assets = new Map<string, Promise<ConsoleFile | undefined>>();

  /** @param folder folder with `index.html` and `static/` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The page; undefined when the console was not built. */
  page(): Promise<ConsoleFile | undefined> {
    return this.#read("index.html", "html");
  }

  /** A file below `static/`. @returns undefined for a missing file */
  async asset(name: string): Promise<ConsoleFile | undefined> {
    const extension = assetName.exec(name)?.[1];
    if (extension === undefined) {
      return undefined;
    }
    const known = this.#assets.get(name) ?? this.#read(join("static", name), extension);
    this.#assets.set(name, known);
    const file = await known;
    if (file === undefined) {
      // Missing files are not cached, because clients can invent names.
      this.#assets.delete(name);
    }
    return file;
  }

  /** Reads and compresses a file. @returns undefined when it is unreadable */
  async #read(name: string, extension: string): Promise<ConsoleFile | undefined> {
    let bytes: Uint8Array;
    try {
      bytes = await readFile(join(this.#folder, name));
    } catch {
      return undefined;
    }
    const type = types[extension] ?? "application/octet-stream";
    return { type, bytes, gzipped: await promisify(gzip)(bytes) };
  }
}
