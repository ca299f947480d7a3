import { LRUCache } from "lru-cache";
import type { ResourceKind } from "server-core/modules/usage-pool";
import type { CachedRequest, StoredResponse } from "./stored-response.ts";

/** Limit of stored variants of one address. `Vary` distinguishes variants. */
const maxVariants = 32;

/** The target of a purge: one URL, all URLs with a prefix, or everything. */
export interface Purge {
  /** Removes the responses of this exact URL. */
  readonly url?: string | undefined;
  /** Removes the responses of all URLs with this beginning. */
  readonly prefix?: string | undefined;
}

/** The state of one store, for the admin API. */
export interface StoreState {
  /** Number of stored responses. */
  readonly responses: number;
  /** Bytes that the stored responses take. */
  readonly bytes: number;
  /** Limit of these bytes. Above the limit, the least recently used responses are removed. */
  readonly max_bytes: number;
}

/**
 * Stored responses of one thread, limited by bytes. Above the limit, the least recently used responses are removed
 * first.
 */
export class ResponseStore {
  /** Variants by URL, the newest first. */
  readonly #byUrl: LRUCache<string, StoredResponse[]>;
  /** Keys of responses that a request revalidates at this moment. */
  readonly refreshing = new Set<string>();

  constructor(maxBytes: number) {
    this.#byUrl = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (variants, url) => variants.reduce((sum, each) => sum + each.bytes, url.length + 64),
    });
  }

  /** Finds the stored response that fits the headers of a request. */
  find(url: string, request: CachedRequest): StoredResponse | undefined {
    return this.#byUrl.get(url)?.find((each) => each.fits(request));
  }

  /** Stores a response. It replaces the stored variant that fits the same request. */
  put(url: string, request: CachedRequest, response: StoredResponse): void {
    const others = (this.#byUrl.peek(url) ?? []).filter((each) => !each.fits(request));
    this.#byUrl.set(url, [response, ...others].slice(0, maxVariants));
  }

  /** Removes all variants of an address. @returns true when variants were stored */
  remove(url: string): boolean {
    return this.#byUrl.delete(url);
  }

  /** @returns number of removed URLs */
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

  /** State of the store, for `GET /cache` of the admin API. */
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

/** Stores, by their size limit: a new config with the same limit keeps the stored responses. */
export const responseStores: ResourceKind<ResponseStore> = { name: "response stores" };

/** Topic of messages that ask each thread to purge, with a {@link Purge}. */
export const purgeTopic = "http.handlers.cache/purge";
/** Topic of messages that ask each thread for the {@link StoreState} of its store. */
export const stateTopic = "http.handlers.cache/state";
