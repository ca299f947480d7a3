import { rm } from "node:fs/promises";
import { join } from "node:path";
import { QueryError } from "../query-error.ts";
import { digest, type KeptFiles, keptText, namesIn, writeKept, writeNew } from "./kept-files.ts";

/** A view of the UI that a user saved for all users. */
export interface SavedView {
  readonly name: string;
  /** Path and search below the UI's base: `/search?service=cart`. */
  readonly address: string;
  /** A remark of the author; "" for none. */
  readonly note: string;
  readonly savedUnixMs: number;
}

/** Maximum number of views and links that one tenant may store. */
export interface ViewLimits {
  readonly views: number;
  readonly links: number;
}

const defaultLimits: ViewLimits = { views: 1_000, links: 10_000 };
const linkLetters = 12;

/** Saved views and short links. Each is a file. Tenants see only their own. */
export class ViewStore {
  readonly #files: KeptFiles;
  readonly #limits: ViewLimits;

  constructor(files: KeptFiles, limits = defaultLimits) {
    this.#files = files;
    this.#limits = limits;
  }

  /** True when a folder for the files is configured. */
  get isKept(): boolean {
    return this.#files.isKept;
  }

  /** All views of the tenant, from a to z. Files that cannot be read are left out. */
  async list(tenant: string): Promise<readonly SavedView[]> {
    const folder = this.#files.folderOf(tenant, "view");
    const views: SavedView[] = [];
    for (const file of await namesIn(folder)) {
      const view = viewIn(await keptText(join(folder, file)));
      if (view !== undefined) {
        views.push(view);
      }
    }
    return views.sort((a, b) => a.name.localeCompare(b.name, "en"));
  }

  /** Saves a view. A view of the same name is replaced. @throws QueryError QUERY_TOO_LARGE when too many views exist */
  async save(tenant: string, view: SavedView): Promise<void> {
    const path = this.#pathOf(tenant, view.name);
    if ((await keptText(path)) === undefined) {
      await this.#files.checkRoom(tenant, "view", this.#limits.views);
    }
    await writeKept(path, JSON.stringify(view));
  }

  /**
   * Renames a view, without a check of the limit. A crash leaves the view under the old name, or under both names.
   * @throws QueryError QUERY_BAD_PARAMETER when the view does not exist, or the new name is in use
   */
  async rename(tenant: string, name: string, to: string): Promise<void> {
    const path = this.#pathOf(tenant, name);
    const view = viewIn(await keptText(path));
    if (view === undefined) {
      throw new QueryError("QUERY_BAD_PARAMETER", "there is no view of this name", { parameter: "name" });
    }
    if (to === name) {
      return;
    }
    if (!(await writeNew(this.#pathOf(tenant, to), JSON.stringify({ ...view, name: to })))) {
      throw new QueryError("QUERY_BAD_PARAMETER", "there is a view of this name, choose another", {
        parameter: "to",
      });
    }
    await rm(path, { force: true });
  }

  /** Removes a view, if it exists. */
  async remove(tenant: string, name: string): Promise<void> {
    await rm(this.#pathOf(tenant, name), { force: true });
  }

  /** The id of a short link, the same for the same address. @throws QueryError QUERY_TOO_LARGE */
  async link(tenant: string, address: string): Promise<string> {
    const id = digest(address, linkLetters);
    const path = join(this.#files.folderOf(tenant, "link"), id);
    if ((await keptText(path)) === undefined) {
      await this.#files.checkRoom(tenant, "link", this.#limits.links);
      await writeKept(path, address);
    }
    return id;
  }

  /** The address of a short link; undefined for an unknown id. */
  async follow(tenant: string, id: string): Promise<string | undefined> {
    if (!this.isKept || !/^[a-z0-9]{1,40}$/.test(id)) {
      return undefined;
    }
    const address = await keptText(join(this.#files.folderOf(tenant, "link"), id));
    return address !== undefined && isViewAddress(address) ? address : undefined;
  }

  #pathOf(tenant: string, name: string): string {
    return join(this.#files.folderOf(tenant, "view"), `${digest(name, 32)}.json`);
  }
}

/** Maximum number of characters in the address of a view. A longer address is refused. */
export const longestViewAddress = 8_192;

/** True when the text is a path of the UI, and does not lead to another host. */
export function isViewAddress(text: string): boolean {
  return text.length <= longestViewAddress && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text);
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
