import { createHash, randomUUID } from "node:crypto";
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { QueryError } from "../query-error.ts";

/** The kinds of files that are kept for a tenant. */
export type KeptKind = "view" | "link" | "note";

/** Maximum number of bytes of a file. A larger file is not read, because this program never writes one. */
const maxFileBytes = 65_536;

/**
 * Small files of tenants in one folder, which several processes may share. Readers see the whole old file or the
 * whole new file, and a crash loses at most the file that is being written.
 */
export class KeptFiles {
  readonly #folder: string;
  readonly #mostTenants: number;
  readonly #onRefused: (kind: KeptKind) => void;

  /** @param folder "" for none: then `folderOf` throws QUERY_NOT_SUPPORTED */
  constructor(folder: string, mostTenants: number, onRefused: (kind: KeptKind) => void) {
    this.#folder = folder;
    this.#mostTenants = mostTenants;
    this.#onRefused = onRefused;
  }

  /** True when a folder for the files is configured. */
  get isKept(): boolean {
    return this.#folder !== "";
  }

  /** The folder of a tenant's views, links or notes. @throws QueryError QUERY_NOT_SUPPORTED */
  folderOf(tenant: string, kind: KeptKind): string {
    if (!this.isKept) {
      throw new QueryError("QUERY_NOT_SUPPORTED", `${kind}s are not kept: --query.views-dir is not set`);
    }
    return join(this.#folder, digest(tenant, 32), `${kind}s`);
  }

  /** Refuses another file. @throws QueryError QUERY_TOO_LARGE @param what name of the files, for the error message */
  refuse(kind: KeptKind, what: string, most: number): never {
    this.#onRefused(kind);
    throw new QueryError("QUERY_TOO_LARGE", `there are ${most} ${what}, the most that are kept`, {
      limit: { name: "maximum", value: most },
    });
  }

  /**
   * Checks that the limits allow another file, or folder, of a tenant.
   * @throws QueryError QUERY_TOO_LARGE
   */
  async checkRoom(tenant: string, kind: KeptKind, most: number, what = `${kind}s`): Promise<void> {
    const others = await namesIn(this.folderOf(tenant, kind));
    if (others.length >= most) {
      this.refuse(kind, what, most);
    }
    if (others.length === 0) {
      const tenants = await namesIn(this.#folder);
      if (tenants.length >= this.#mostTenants && !tenants.includes(digest(tenant, 32))) {
        this.refuse(kind, "tenants", this.#mostTenants);
      }
    }
  }
}

/** Writes a file atomically. An existing file is replaced. */
export async function writeKept(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path));
}

/** Writes a new file atomically. @returns false when the file exists; then it stays unchanged */
export async function writeNew(path: string, text: string): Promise<boolean> {
  let isNew = true;
  await withTemporary(path, text, async (temporary) => {
    try {
      await link(temporary, path);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") {
        throw error;
      }
      isNew = false;
    }
  });
  return isNew;
}

async function withTemporary(path: string, text: string, act: (temporary: string) => Promise<void>) {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `.${randomUUID()}`);
  try {
    await writeFile(temporary, text, { flush: true });
    await act(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** The first hex digits of a text's SHA-256. */
export function digest(text: string, letters: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, letters);
}

/** Names of files and folders in a folder, without unfinished files. Empty when the folder does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith("."));
  } catch (error) {
    if (codeOf(error) === "ENOENT") {
      return [];
    }
    throw error;
  }
}

/** Text of a file; undefined when the file does not exist, or is longer than this program writes. */
export async function keptText(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    return size > maxFileBytes ? undefined : await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
