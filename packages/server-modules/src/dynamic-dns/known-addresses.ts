import { Resolver } from "node:dns/promises";
import { isJsonObject } from "server-core/json/json-value";
import type { Storage } from "server-core/storage/storage";
import { publicAddress } from "./ip-source.ts";

/** Maximum number of bytes of the stored file. A larger file counts as broken. */
const maxFileBytes = 1024 * 1024;
/** Timeout of one DNS query, in milliseconds, and the number of attempts. */
const timeoutMs = 5_000;
const tries = 2;
/** DNS errors for a name without a record of the type. */
const noRecord = new Set(["ENOTFOUND", "ENODATA"]);

/** Addresses of each name: those that were set last; without any, those that DNS servers return. */
export class KnownAddresses {
  readonly #storage: Storage;
  readonly #resolvers: readonly string[];

  constructor(storage: Storage, resolvers: readonly string[]) {
    this.#storage = storage;
    this.#resolvers = resolvers;
  }

  /** @throws Error when the name was never set and DNS fails */
  async of(name: string, type: "A" | "AAAA"): Promise<readonly string[]> {
    const stored = (await this.#load(name))[type];
    return typeof stored === "string" ? [stored] : this.#lookUp(name, type);
  }

  /** @throws ServerError STORAGE */
  async set(name: string, type: "A" | "AAAA", ip: string): Promise<void> {
    await this.#storage.store(this.#key(name), JSON.stringify({ ...(await this.#load(name)), [type]: ip }));
  }

  /** Storage key of a name. `*` is replaced, because some file systems forbid it in names. */
  #key(name: string): string {
    return `dynamic_dns/${encodeURIComponent(name).replaceAll("*", "_wildcard")}.json`;
  }

  /** Loads the stored addresses of a name, by record type. A broken file counts as empty. */
  async #load(name: string): Promise<Readonly<Record<string, unknown>>> {
    const bytes = await this.#storage.load(this.#key(name), maxFileBytes);
    try {
      const value: unknown = JSON.parse(bytes?.toString() ?? "{}");
      return isJsonObject(value as never) ? (value as Record<string, unknown>) : {};
    } catch {
      return {}; // a damaged file counts as empty
    }
  }

  /** Queries DNS. A name without such a record has no addresses; any other failure is an error. */
  async #lookUp(name: string, type: "A" | "AAAA"): Promise<readonly string[]> {
    const resolver = new Resolver({ timeout: timeoutMs, tries });
    if (this.#resolvers.length > 0) {
      resolver.setServers([...this.#resolvers]);
    }
    try {
      const found = await (type === "A" ? resolver.resolve4(name) : resolver.resolve6(name));
      return found.map((ip) => publicAddress(ip)?.ip ?? ip);
    } catch (error) {
      if (noRecord.has((error as NodeJS.ErrnoException).code ?? "")) {
        return [];
      }
      throw error;
    }
  }
}
