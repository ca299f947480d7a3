import { createHmac, randomBytes } from "node:crypto";
import type { ResourceKind, SharedResource } from "../core/modules/usage-pool.ts";

/** Bytes of key material that the TLS library takes. */
const keyBytes = 48;

/** The key that encrypts session tickets; one for all threads, so that each takes the tickets of the others. */
export interface TicketKeys extends SharedResource {
  readonly current: Uint8Array;
  /** From now on it changes so often. @param changed called after each change */
  rotateEvery(intervalMs: number, changed: () => void): void;
}

export const ticketKeys: ResourceKind<TicketKeys> = { name: "tls.tickets" };

/** Keys made by this process and kept in its memory only. The TLS library knows one at a time. */
export class TicketKeyRing implements TicketKeys {
  #current = randomBytes(keyBytes);
  #timer: NodeJS.Timeout | undefined;

  get current(): Uint8Array {
    return this.#current;
  }

  rotateEvery(intervalMs: number, changed: () => void): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      this.#current = randomBytes(keyBytes);
      changed();
    }, intervalMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** The key of one policy: a ticket of another one, which perhaps asked for no client certificate, means nothing to it. */
export function policyTicketKey(key: Uint8Array, policy: string): Buffer {
  const first = createHmac("sha512", key).update(policy).digest();
  return first.subarray(0, keyBytes);
}
