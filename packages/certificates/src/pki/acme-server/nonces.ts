import { randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Nonces that may be out at once; when there are more, the oldest do not count any more. */
const maxNonces = 100_000;
/** A nonce that nobody used counts for an hour. */
const lifetimeMs = 3_600_000;

/** Nonces of all configs: a nonce stays valid when one config replaces another. */
export const nonceKind: ResourceKind<Nonces> = { name: "pki.acme_nonces" };

/** Numbers that clients may use once each. Kept in memory: after a restart clients are told to take new ones. */
export class Nonces implements SharedResource {
  readonly #out = new LRUCache<string, true>({
    maxSize: maxNonces, // as `max` it would take megabytes at once
    sizeCalculation: () => 1,
    ttl: lifetimeMs,
  });

  /** Source: RFC 8555, section 6.5.1 */
  make(): string {
    const nonce = randomBytes(16).toString("base64url");
    this.#out.set(nonce, true);
    return nonce;
  }

  /** @returns whether it was made here and not used yet */
  take(nonce: string): boolean {
    return this.#out.delete(nonce);
  }

  close(): void {
    this.#out.clear();
  }
}
