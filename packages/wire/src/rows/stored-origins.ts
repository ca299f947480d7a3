import type { SpanOrigin } from "./span-row-reader.ts";

/** Size limit of the cache in bytes; when it is exceeded, the cache is emptied. */
const maxBytes = 2 * 1024 * 1024;

/**
 * Cache of resources and scopes of stored rows, by their bytes. Successive answers contain the same ones, and so share
 * the objects. Callers may attach data to these objects with a `WeakMap`.
 */
export class StoredOrigins {
  #known = new Map<string, SpanOrigin>();
  #bytes = 0;

  /**
   * @param prefix the columns before `trace_id`, with one character for each byte
   * @param read creates the object when the cache does not have it
   */
  of(prefix: string, read: () => SpanOrigin): SpanOrigin {
    let origin = this.#known.get(prefix);
    if (origin === undefined) {
      origin = read();
      this.#bytes += prefix.length;
      if (this.#bytes > maxBytes) {
        this.#known = new Map();
        this.#bytes = prefix.length;
      }
      this.#known.set(prefix, origin);
    }
    return origin;
  }
}
