import { open, readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { createPrivateFile } from "../files/private-file.ts";

/** One config that ran. */
export interface HistoryEntry {
  /** Number of the entry. Numbers start at 1 and are never used twice. */
  readonly n: number;
  /** Time at which it began to run, RFC 3339. */
  readonly at: string;
  /** The author: an address, a signal, a file. */
  readonly author: string;
  /** Bytes of the document as `encodeJson` writes it. */
  readonly bytes: number;
  /**
   * The request that caused the change: method and path. Absent: no request caused the change, or an older server wrote
   * the file.
   */
  readonly cause?: string;
}

const fileName = /^(\d{1,15})\.json$/;
const maxHeadBytes = 4_096;

/** The first line of a file; undefined for a file without an entry, a truncated file, or a foreign file. */
async function readHead(path: string): Promise<HistoryEntry | undefined> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0);
    const text = buffer.subarray(0, bytesRead).toString("utf8");
    const { n, at, author, bytes, cause } = JSON.parse(
      text.slice(0, text.indexOf("\n")),
    ) as Partial<HistoryEntry>;
    if (
      typeof n !== "number" ||
      typeof at !== "string" ||
      typeof author !== "string" ||
      typeof bytes !== "number"
    ) {
      return undefined;
    }
    const { size } = await file.stat();
    const headBytes = Buffer.byteLength(text.slice(0, text.indexOf("\n") + 1));
    if (size !== headBytes + bytes) {
      return undefined;
    }
    return { n, at, author, bytes, ...(typeof cause === "string" ? { cause } : {}) };
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/**
 * The files of the history, `<n>.json`: a line with the entry, then the document. Folder 0700, files 0600, because a
 * config may hold secrets.
 */
export class HistoryFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** All entries, oldest first. Damaged files are skipped. @throws the file system's error */
  async list(): Promise<HistoryEntry[]> {
    let names: string[];
    try {
      names = await readdir(this.#folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return [];
      }
      throw error;
    }
    const entries: HistoryEntry[] = [];
    for (const name of names) {
      const entry = fileName.test(name) ? await readHead(join(this.#folder, name)) : undefined;
      if (entry !== undefined && name === `${entry.n}.json`) {
        entries.push(entry);
      }
    }
    return entries.sort((a, b) => a.n - b.n);
  }

  /**
   * Writes an entry. After a crash a file may be truncated; readers recognize it by the length in its first line, and
   * skip it.
   * @throws the file system's error
   */
  async write(entry: HistoryEntry, document: Uint8Array): Promise<void> {
    const head = Buffer.from(`${JSON.stringify({ ...entry, crc32: crc32(document) })}\n`);
    const file = await createPrivateFile(join(this.#folder, `${entry.n}.json`));
    try {
      const { bytesWritten } = await file.writev([head, document]);
      if (bytesWritten < head.length + document.length) {
        throw new Error(`only ${bytesWritten} bytes of entry ${entry.n} were written`);
      }
    } finally {
      await file.close();
    }
  }

  /** The document of an entry. @throws the file system's error, and an error for a damaged file */
  async read(n: number): Promise<string> {
    const file = await readFile(join(this.#folder, `${n}.json`));
    const headBytes = file.indexOf("\n") + 1;
    const document = file.subarray(headBytes);
    const head = JSON.parse(file.toString("utf8", 0, headBytes)) as { readonly crc32?: unknown };
    // Older servers wrote no checksum.
    if (head.crc32 !== undefined && head.crc32 !== crc32(document)) {
      throw new Error(`entry ${n} of the history is damaged: its checksum is another`);
    }
    return document.toString("utf8");
  }

  /** @throws the file system's error, except for a file that does not exist */
  async remove(n: number): Promise<void> {
    try {
      await unlink(join(this.#folder, `${n}.json`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        throw error;
      }
    }
  }
}
