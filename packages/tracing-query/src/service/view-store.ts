import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { QueryError } from "../query-error.ts";

/** A view of the UI that somebody saved for all. */
export interface SavedView {
  readonly name: string;
  /** Path and search below the UI's base: `/search?service=cart`. */
  readonly address: string;
  /** A remark of whoever saved it; "" for none. */
  readonly note: string;
  readonly savedUnixMs: number;
}

/** Most views and links of a tenant, and most tenants. */
export interface ViewLimits {
  readonly views: number;
  readonly links: number;
  readonly tenants: number;
}

const defaultLimits: ViewLimits = { views: 1_000, links: 10_000, tenants: 1_000 };
/** Files of ours are shorter. */
const maxFileBytes = 65_536;
const linkLetters = 12;

/**
 * Saved views and short links, a file each, so that several processes may share the folder and a crash loses at
 * most the one that is being written. Tenants see their own only.
 */
export class ViewStore {
  readonly #folder: string;
  readonly #limits: ViewLimits;
  readonly #onRefused: (kind: "view" | "link") => void;

  /**
   * @param folder "" for none: then every method throws QUERY_NOT_SUPPORTED
   * @param onRefused called for each view and link that a limit kept out
   */
  constructor(folder: string, onRefused: (kind: "view" | "link") => void = () => {}, limits = defaultLimits) {
    this.#folder = folder;
    this.#limits = limits;
    this.#onRefused = onRefused;
  }

  /** Whether there is a folder to keep them in. */
  get isKept(): boolean {
    return this.#folder !== "";
  }

  /** All views of the tenant, from a to z. Files that cannot be read are left out. */
  async list(tenant: string): Promise<readonly SavedView[]> {
    const folder = this.#folderOf(tenant, "views");
    const views: SavedView[] = [];
    for (const file of await filesOf(folder)) {
      const view = viewIn(await textOf(join(folder, file)));
      if (view !== undefined) {
        views.push(view);
      }
    }
    return views.sort((a, b) => a.name.localeCompare(b.name, "en"));
  }

  /** Saves a view; one of the same name is replaced. @throws QueryError QUERY_TOO_LARGE when there are too many */
  async save(tenant: string, view: SavedView): Promise<void> {
    const folder = this.#folderOf(tenant, "views");
    await this.#write(tenant, folder, `${digest(view.name, 32)}.json`, JSON.stringify(view), "view");
  }

  /** Removes a view, if it is there. */
  async remove(tenant: string, name: string): Promise<void> {
    await rm(join(this.#folderOf(tenant, "views"), `${digest(name, 32)}.json`), { force: true });
  }

  /** The id of a short link, the same for the same address. @throws QueryError QUERY_TOO_LARGE */
  async link(tenant: string, address: string): Promise<string> {
    const id = digest(address, linkLetters);
    await this.#write(tenant, this.#folderOf(tenant, "links"), id, address, "link");
    return id;
  }

  /** The address of a short link; undefined for an unknown one. */
  async follow(tenant: string, id: string): Promise<string | undefined> {
    if (this.#folder === "" || !/^[a-z0-9]{1,40}$/.test(id)) {
      return undefined;
    }
    const address = await textOf(join(this.#folderOf(tenant, "links"), id));
    return address !== undefined && isViewAddress(address) ? address : undefined;
  }

  async #write(
    tenant: string,
    folder: string,
    file: string,
    text: string,
    kind: "view" | "link",
  ): Promise<void> {
    const path = join(folder, file);
    const isNew = (await stat(path).catch(() => undefined)) === undefined;
    if (isNew) {
      await this.#checkRoom(tenant, folder, kind);
    } else if (kind === "link") {
      return;
    }
    await mkdir(folder, { recursive: true });
    // Readers see the old file or the new one, and a crash leaves no half.
    const temporary = join(folder, `.${randomUUID()}`);
    try {
      await writeFile(temporary, text, { flush: true });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async #checkRoom(tenant: string, folder: string, kind: "view" | "link"): Promise<void> {
    const most = kind === "view" ? this.#limits.views : this.#limits.links;
    const others = await filesOf(folder);
    const isFull = others.length >= most;
    const isFirst = others.length === 0;
    const tenants = isFirst ? await filesOf(this.#folder) : [];
    if (!isFull && !(tenants.length >= this.#limits.tenants && !tenants.includes(digest(tenant, 32)))) {
      return;
    }
    this.#onRefused(kind);
    const message = isFull
      ? `there are ${most} ${kind}s, the most that are kept`
      : `views of ${this.#limits.tenants} tenants are kept, and no more`;
    throw new QueryError("QUERY_TOO_LARGE", message, { limit: { name: "maximum", value: most } });
  }

  #folderOf(tenant: string, kind: "views" | "links"): string {
    if (this.#folder === "") {
      throw new QueryError("QUERY_NOT_SUPPORTED", "views are not kept: --query.views-dir is not set");
    }
    return join(this.#folder, digest(tenant, 32), kind);
  }
}

/** Longest address of a view, in letters. */
export const longestViewAddress = 8_192;

/** Whether the text is a path of the UI, and leads to no other host. */
export function isViewAddress(text: string): boolean {
  return text.length <= longestViewAddress && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text);
}

function digest(text: string, letters: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, letters);
}

/** Names of files and folders in a folder, without those being written; none where there is no folder. */
async function filesOf(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith("."));
  } catch (error) {
    if (isMissing(error)) {
      return [];
    }
    throw error;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    return size > maxFileBytes ? undefined : await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) {
      return undefined;
    }
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function viewIn(text: string | undefined): SavedView | undefined {
  try {
    const { name, address, note, savedUnixMs } = JSON.parse(text ?? "") as Record<keyof SavedView, unknown>;
    return typeof name === "string" &&
      typeof address === "string" &&
      typeof note === "string" &&
      typeof savedUnixMs === "number" &&
      isViewAddress(address)
      ? { name, address, note, savedUnixMs }
      : undefined;
  } catch {
    return undefined;
  }
}
