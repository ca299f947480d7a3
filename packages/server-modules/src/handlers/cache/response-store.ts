import { LRUCache } from "lru-cache";
import type { ResourceKind } from "server-core/modules/usage-pool";
import { type CacheAddress, urlsOf } from "./cache-address.ts";
import type { ChangedUrls } from "./changed-urls.ts";
import type { CachedRequest, StoredResponse } from "./stored-response.ts";

/**
 * Maximum number of variants of one address that are stored. A new variant replaces the oldest. `Vary` distinguishes
 * variants.
 */
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
  readonly responses: number;
  /** Bytes that the stored responses take. */
  readonly bytes: number;
  /**
   * Maximum number of bytes that all stored responses together may have. Above the limit, the least recently used
   * responses are removed.
   */
  readonly max_bytes: number;
}

/** State of a URL before the origin was asked. The response is stored only if nothing has invalidated the URL since. */
export interface Moment {
  /** {@link ChangedUrls.generation} of the URL. */
  readonly generation: number;
  /** Number of purges of the store. */
  readonly purges: number;
}

/** The stored variants of one address, the newest first. */
interface Variants {
  /**
   * {@link ChangedUrls.generation} of the URL when the variants were stored. After a change of the URL, they are void.
   */
  readonly generation: number;
  readonly responses: readonly StoredResponse[];
}

/**
 * Stored responses of one thread, limited by bytes. Above the limit, the least recently used responses are removed
 * first.
 */
export class ResponseStore {
  readonly #byKey: LRUCache<string, Variants>;
  readonly #changes: ChangedUrls;
  #purges = 0;
  /** Keys of responses that a request revalidates at this moment. */
  readonly refreshing = new Set<string>();

  constructor(maxBytes: number, changes: ChangedUrls) {
    this.#changes = changes;
    this.#byKey = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ responses }, key) =>
        responses.reduce((sum, each) => sum + each.bytes, key.length + 64),
    });
  }

  /** The present state of a URL, to be passed to {@link put}. */
  moment({ url }: CacheAddress): Moment {
    return { generation: this.#changes.generation(url), purges: this.#purges };
  }

  /** Finds the stored response that fits the headers of a request. */
  find(address: CacheAddress, request: CachedRequest): StoredResponse | undefined {
    return this.#variants(address).find((each) => each.fits(request));
  }

  /**
   * Stores a response. It replaces the stored variant that fits the same request.
   * @param since the state of the URL before the origin was asked
   */
  put(address: CacheAddress, request: CachedRequest, response: StoredResponse, since: Moment): void {
    const { generation, purges } = this.moment(address);
    if (generation !== since.generation || purges !== since.purges) {
      return;
    }
    const others = this.#variants(address).filter((each) => !each.fits(request));
    this.#byKey.set(address.key, { generation, responses: [response, ...others].slice(0, maxVariants) });
  }

  /** Makes the stored responses of a URL void, in all threads. */
  invalidate({ key, url }: CacheAddress): void {
    this.#changes.changed(url);
    this.#byKey.delete(key);
  }

  /** @returns number of removed addresses */
  purge({ url, prefix }: Purge): number {
    const isMeant = (each: string) =>
      url === undefined ? prefix === undefined || each.startsWith(prefix) : each === url;
    this.#purges++;
    let count = 0;
    for (const key of [...this.#byKey.keys()]) {
      if (urlsOf(key).some(isMeant)) {
        this.#byKey.delete(key);
        count++;
      }
    }
    return count;
  }

  /** Variants of an address that no change of the URL has made void. */
  #variants({ key, url }: CacheAddress): readonly StoredResponse[] {
    const found = this.#byKey.get(key);
    if (found !== undefined && found.generation !== this.#changes.generation(url)) {
      this.#byKey.delete(key);
      return [];
    }
    return found?.responses ?? [];
  }

  /** State of the store, for `GET /cache` of the admin API. */
  state(): StoreState {
    let responses = 0;
    for (const variants of this.#byKey.values()) {
      responses += variants.responses.length;
    }
    return { responses, bytes: this.#byKey.calculatedSize, max_bytes: this.#byKey.maxSize };
  }

  close(): void {
    this.#byKey.clear();
  }
}

/** Stores, by their size limit: a new config with the same limit keeps the stored responses. */
export const responseStores: ResourceKind<ResponseStore> = { name: "response stores" };

/** Topic of messages that ask each thread to purge, with a {@link Purge}. */
export const purgeTopic = "http.handlers.cache/purge";
/** Topic of messages that ask each thread for the {@link StoreState} of its store. */
export const stateTopic = "http.handlers.cache/state";
