import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../synced-file.ts";
import { namesIn, tableFolders } from "./table-folders.ts";

/** A damaged file that was repaired. */
export interface MendedFile {
  readonly path: string;
  /** Index of the first byte that was changed. */
  readonly place: number;
  /** Path of the copy of the damaged file. */
  readonly kept: string;
}

/** Maximum number of changed bytes: a file with more changes counts as another file, not as damaged. */
const mostChangedBytes = 64;

/**
 * A copy of the files that describe the engine's tables; they are small, but no data can be found without them. A
 * single wrong byte in them prevents the engine from starting. The copy is renewed after each statement that changes
 * tables. It contains bytes as Latin-1 characters.
 */
export class MetadataCopy {
  readonly #folder: string;
  readonly #enginePath: string;
  readonly #path: string;
  readonly #markPath: string;
  #changes = 0;
  #saved = "";

  /**
   * @param folder the data folder, which contains the copy
   * @param enginePath the folder of the engine, whose metadata files are copied
   */
  constructor(folder: string, enginePath: string) {
    this.#folder = folder;
    this.#enginePath = enginePath;
    this.#path = join(folder, "engine-metadata.json");
    this.#markPath = `${this.#path}.changing`;
  }

  /**
   * Repairs damaged files; must be called before the engine is opened.
   * @returns the repaired files; or only the copy itself, if it was unreadable and must be renewed
   */
  mend(): MendedFile[] {
    const changingSinceMs = this.#changingSinceMs();
    const copy = this.#read();
    if (copy === undefined) {
      const kept = `${this.#path}.damaged`;
      renameSync(this.#path, kept);
      return [{ path: this.#path, place: 0, kept }];
    }
    const mended: MendedFile[] = [];
    for (const [name, text] of Object.entries(copy)) {
      const path = join(this.#enginePath, name);
      const good = Buffer.from(text, "latin1");
      // A missing file belongs to a table that an older program dropped.
      if (!existsSync(path)) {
        continue;
      }
      // A statement that ran when the process was killed may have changed this file. Damage does not change a file's
      // time.
      if (statSync(path).mtimeMs >= changingSinceMs) {
        continue;
      }
      const found = readFileSync(path);
      if (found.equals(good) || !isDamaged(found, good)) {
        continue;
      }
      const place = good.findIndex((byte, at) => byte !== found[at]);
      // The damaged file moves to another folder, because the engine does not start with unknown files in its folder.
      const kept = join(this.#folder, "damaged", name.replaceAll("/", "-"));
      mkdirSync(join(this.#folder, "damaged"), { recursive: true, mode: 0o700 });
      writeFileSync(kept, found, { mode: 0o600 });
      this.#write(path, good);
      mended.push({ path, place, kept });
    }
    return mended;
  }

  /** Must be called before a statement that may change tables. */
  beginChange(): void {
    if (this.#changes++ === 0) {
      writeFileSync(this.#markPath, "", { flush: true });
    }
  }

  /** Must be called after such a statement, and after the engine was opened. */
  endChange(): void {
    this.#changes = Math.max(0, this.#changes - 1);
    const files = Object.fromEntries(this.#names().map((name) => [name, this.#readFile(name)]));
    const text = JSON.stringify({ files, checksum: checksumOf(files) });
    if (text !== this.#saved) {
      this.#write(this.#path, Buffer.from(text));
    }
    this.#saved = text;
    if (this.#changes === 0) {
      rmSync(this.#markPath, { force: true });
    }
  }

  /**
   * Time at which the unfinished statements of the previous process began, in milliseconds since 1970; Infinity if
   * there are none.
   */
  #changingSinceMs(): number {
    return statSync(this.#markPath, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
  }

  #names(): string[] {
    const isMetadata = (name: string) => name.endsWith(".sql") || name === "format_version.txt";
    const inStore = tableFolders(this.#enginePath).flatMap((folder) =>
      namesIn(folder)
        .filter(isMetadata)
        .map((name) => join(folder, name).slice(this.#enginePath.length + 1)),
    );
    const ofDatabases = namesIn(join(this.#enginePath, "metadata")).filter(isMetadata);
    return [...ofDatabases.map((name) => join("metadata", name)), ...inStore];
  }

  #readFile(name: string): string {
    return readFileSync(join(this.#enginePath, name), "latin1");
  }

  /** Writes a changed file. Returns when the file is on disk. */
  #write(path: string, bytes: Buffer): void {
    replaceFile(path, bytes, `${this.#path}.new`);
  }

  /** @returns undefined for a damaged copy */
  #read(): Record<string, string> | undefined {
    if (!existsSync(this.#path)) {
      return {};
    }
    try {
      const { files, checksum } = JSON.parse(readFileSync(this.#path, "utf8")) as {
        files: Record<string, string>;
        checksum: string;
      };
      if (checksum === checksumOf(files)) {
        return files;
      }
    } catch {
      // An unreadable file is handled below.
    }
    return undefined;
  }
}

/** True when a file differs in only a few bytes, lacks its end, or has only zeros. */
function isDamaged(found: Buffer, good: Buffer): boolean {
  if (found.length < good.length) {
    return good.subarray(0, found.length).equals(found);
  }
  if (found.length > good.length) {
    return false;
  }
  return (
    good.filter((byte, at) => byte !== found[at]).length <= mostChangedBytes ||
    found.every((byte) => byte === 0)
  );
}

function checksumOf(files: unknown): string {
  return createHash("sha256").update(JSON.stringify(files)).digest("hex");
}
