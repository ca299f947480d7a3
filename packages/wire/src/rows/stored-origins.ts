import type { SpanOrigin } from "./span-row-reader.ts";

/** Of the bytes of origins that are known; more begin anew. */
const maxBytes = 2 * 1024 * 1024;

/**
 * Resources and scopes of stored rows by their bytes: who reads answer after answer finds the same in them, and has the same objects
 * for them. What else is known of these may be kept by them, in a `WeakMap`.
 */
export class StoredOrigins {
  #known = new Map<string, SpanOrigin>();
  #bytes = 0;

  /**
   * @param prefix the columns before `trace_id`, one character for each byte
   * @param read makes an object of them, where there is none yet
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
