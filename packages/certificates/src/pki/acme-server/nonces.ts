import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Maximum number of unused nonces; above it, the oldest become invalid. */
const maxNonces = 100_000;
/** An unused nonce is valid for an hour. */
const lifetimeMs = 3_600_000;

/** Nonces of all configs: a nonce stays valid when one config replaces another. */
export const nonceKind: ResourceKind<Nonces> = { name: "pki.acme_nonces" };

/**
 * Nonces: random texts that each allow one request. They are only in memory: after a restart, clients get an error and
 * request new nonces.
 */
export class Nonces implements SharedResource {
  readonly #out = new LRUCache<string, true>({
    maxSize: maxNonces, // `max` would reserve megabytes of memory immediately
    sizeCalculation: () => 1,
    ttl: lifetimeMs,
  });

  /** Source: RFC 8555, section 6.5.1 */
  make(): string {
    const nonce = randomBytes(16).toString("base64url");
    this.#out.set(nonce, true);
    return nonce;
  }

  /** @returns true when this server made the nonce and it was not used yet */
  take(nonce: string): boolean {
    return this.#out.delete(nonce);
  }

  close(): void {
    this.#out.clear();
  }
}
