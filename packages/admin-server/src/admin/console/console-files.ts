import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A file of the console, ready to be sent. */
export interface ConsoleFile {
  /** Its `Content-Type`. */
  readonly type: string;
  /** Its content as it lies in the folder. */
  readonly bytes: Uint8Array;
  /** The same, compressed with gzip. */
  readonly gzipped: Uint8Array;
}

/** Media types by ending; files with another ending are not served. */
const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** Names as the build makes them: nothing that could lead out of the folder. */
const assetName = /^[\w-]+(?:\.[\w-]+)*\.(css|js|svg)$/;

/**
 * The built console in its folder. Files are cached, except the page, because it names the files of a new
 * build.
 */
export class ConsoleFiles {
  readonly #folder: string;
  /** Files by name, each read once. Failed reads are not kept. */
  readonly #assets = new Map<string, Promise<ConsoleFile | undefined>>();

  /** @param folder with `index.html` and `static/` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The page; undefined where the console was not built. */
  page(): Promise<ConsoleFile | undefined> {
    return this.#read("index.html", "html");
  }

  /** A file below `static/`. @returns undefined when there is none of that name */
  async asset(name: string): Promise<ConsoleFile | undefined> {
    const extension = assetName.exec(name)?.[1];
    if (extension === undefined) {
      return undefined;
    }
    const known = this.#assets.get(name) ?? this.#read(join("static", name), extension);
    this.#assets.set(name, known);
    const file = await known;
    if (file === undefined) {
      // Names that clients make up are not remembered.
      this.#assets.delete(name);
    }
    return file;
  }

  /** Reads and compresses a file. @returns undefined when it cannot be read */
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
