import type { SpanOrigin } from "./span-row-reader.ts";

/** Limit of the bytes of known origins; past it the cache starts empty. */
const maxBytes = 2 * 1024 * 1024;

/**
 * Resources and scopes of stored rows by their bytes. Successive answers contain the same ones, and so share
 * their objects. A `WeakMap` can attach further facts to them.
 */
export class StoredOrigins {
  #known = new Map<string, SpanOrigin>();
  #bytes = 0;

  /**
   * @param prefix the columns before `trace_id`, one character for each byte
   * @param read makes the object when it is unknown
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
