import { createHmac, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";

/**
 * Maximum number of right passwords that are cached, as in Caddy. A further password replaces the least recently
 * used.
 */
const maxKept = 1000;

/**
 * Identifies checks by a keyed hash, so that neither passwords nor hashes can be read from memory. The key is unique to
 * this process.
 */
export class CheckKeys {
  /** Created with the first check, because it loads all of Node's cryptography, and most servers have no checks. */
  #key: Buffer | undefined;

  keyOf(hash: string, password: string): string {
    this.#key ??= randomBytes(32);
    const mac = createHmac("sha256", this.#key);
    return mac.update(`${hash.length}:${hash}`).update(password).digest("base64");
  }
}

/** Caches right passwords. Wrong passwords are not cached: many of them would displace the right passwords. */
export class RightPasswords {
  readonly #kept = new LRUCache<string, true>({ max: maxKept });

  has(key: string): boolean {
    return this.#kept.get(key) === true;
  }

  add(key: string): void {
    this.#kept.set(key, true);
  }
}
