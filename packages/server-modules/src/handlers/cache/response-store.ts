import { LRUCache } from "lru-cache";
import type { ResourceKind } from "server-core/modules/usage-pool";
import type { CachedRequest, StoredResponse } from "./stored-response.ts";

/** Variants of one address that are kept, chosen by `Vary`. */
const maxVariants = 32;

/** The target of a purge: one address, all with a prefix, or everything. */
export interface Purge {
  /** Removes the responses of this URL. */
  readonly url?: string | undefined;
  /** Removes the responses of all URLs with this beginning. */
  readonly prefix?: string | undefined;
}

/** The state of one store, for the admin API. */
export interface StoreState {
  /** Number of responses that are kept. */
  readonly responses: number;
  /** Bytes that they take. */
  readonly bytes: number;
  /** Limit of these bytes. The least recently used go first. */
  readonly max_bytes: number;
}

/** Responses of one thread, bounded by bytes; the least lately used go first. */
export class ResponseStore {
  /** Variants by address, the newest first. */
  readonly #byUrl: LRUCache<string, StoredResponse[]>;
  /** Keys that are being refreshed at the origin now. */
  readonly refreshing = new Set<string>();

  constructor(maxBytes: number) {
    this.#byUrl = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (variants, url) => variants.reduce((sum, each) => sum + each.bytes, url.length + 64),
    });
  }

  /** The stored response that fits the fields of a request. */
  find(url: string, request: CachedRequest): StoredResponse | undefined {
    return this.#byUrl.get(url)?.find((each) => each.fits(request));
  }

  /** Stores a response, and replaces the variant for the same request. */
  put(url: string, request: CachedRequest, response: StoredResponse): void {
    const others = (this.#byUrl.peek(url) ?? []).filter((each) => !each.fits(request));
    this.#byUrl.set(url, [response, ...others].slice(0, maxVariants));
  }

  /** Removes all variants of an address. @returns whether there were any */
  remove(url: string): boolean {
    return this.#byUrl.delete(url);
  }

  /** @returns how many addresses are gone */
  purge({ url, prefix }: Purge): number {
    if (url !== undefined) {
      return this.remove(url) ? 1 : 0;
    }
    let count = 0;
    for (const each of [...this.#byUrl.keys()]) {
      if (prefix === undefined || each.startsWith(prefix)) {
        this.#byUrl.delete(each);
        count++;
      }
    }
    return count;
  }

  /** For `GET /cache` of the admin API. */
  state(): StoreState {
    let responses = 0;
    for (const variants of this.#byUrl.values()) {
      responses += variants.length;
    }
    return { responses, bytes: this.#byUrl.calculatedSize, max_bytes: this.#byUrl.maxSize };
  }

  close(): void {
    this.#byUrl.clear();
  }
}

/** Stores by size: a new config with the same size keeps the stored responses. */
export const responseStores: ResourceKind<ResponseStore> = { name: "response stores" };

/** Topic of messages that ask each thread to purge, with a {@link Purge}. */
export const purgeTopic = "http.handlers.cache/purge";
/** Topic of messages that ask each thread for its {@link StoreState}. */
export const stateTopic = "http.handlers.cache/state";
