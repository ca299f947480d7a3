import { createHmac, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";

/** Right passwords that are kept; the public model keeps as many results. */
const maxKept = 1000;

/** Knows checks by a keyed hash: neither password nor hash can be read from memory. The key is this process's own. */
export class CheckKeys {
  /** Made with the first check: most servers make none, and a start would load all of Node's cryptography for it. */
  #key: Buffer | undefined;

  keyOf(hash: string, password: string): string {
    this.#key ??= randomBytes(32);
    const mac = createHmac("sha256", this.#key);
    return mac.update(`${hash.length}:${hash}`).update(password).digest("base64");
  }
}

/** Remembers right passwords. Wrong ones are not kept: a flood of them would push out the right ones. */
export class RightPasswords {
  readonly #kept = new LRUCache<string, true>({ max: maxKept });

  has(key: string): boolean {
    return this.#kept.get(key) === true;
  }

  add(key: string): void {
    this.#kept.set(key, true);
  }
}
