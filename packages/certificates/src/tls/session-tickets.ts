import { createHmac, randomBytes } from "node:crypto";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Size in bytes of the key material that the TLS library needs. */
export const ticketKeyBytes = 48;
/** These first bytes are sent unencrypted with each ticket, so that the server can find its key. */
const nameBytes = 16;

/**
 * The keys that encrypt session tickets. All threads have the same keys, so that each thread accepts the tickets of the
 * others.
 */
export interface TicketKeys extends SharedResource {
  /** The keys, newest first. The newest key is for new sessions; tickets of the other keys remain valid. */
  readonly keys: readonly Uint8Array[];
  /**
   * From now on the key changes at this interval.
   * @param maxKeys limit of keys; older keys are dropped, with their tickets
   * @param changed called after each change
   */
  rotateEvery(intervalMs: number, maxKeys: number, changed: () => void): void;
}

/** The keys of all threads, so that each thread accepts the tickets of the others. */
export const ticketKeys: ResourceKind<TicketKeys> = { name: "tls.tickets" };

/**
 * Keys made by this process and kept in its memory only.
 *
 * | Key | Meaning |
 * |---|---|
 * | the first | encrypts new tickets |
 * | the others | their tickets still resume a session |
 * | dropped | a client with a ticket of this key gets a full handshake |
 *
 * Every interval puts a new key first and drops the last one beyond `maxKeys`.
 */
export class TicketKeyRing implements TicketKeys {
  /** Created at their first use, so that a start without TLS does not load Node's cryptography. */
  #keys: readonly Uint8Array[] | undefined;
  /** Timer for the next key; undefined while keys do not change. */
  #timer: NodeJS.Timeout | undefined;

  get keys(): readonly Uint8Array[] {
    this.#keys ??= [randomBytes(ticketKeyBytes)];
    return this.#keys;
  }

  rotateEvery(intervalMs: number, maxKeys: number, changed: () => void): void {
    clearInterval(this.#timer);
    this.#keys = this.#keys?.slice(0, maxKeys);
    this.#timer = setInterval(() => {
      this.#keys = [randomBytes(ticketKeyBytes), ...(this.#keys ?? [])].slice(0, maxKeys);
      changed();
    }, intervalMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/**
 * The key of one policy: 48 bytes of an HMAC of the shared key. Other policies refuse tickets of this key, because they
 * may require a client certificate.
 * @param policy ID of the policy, or `quic`
 */
export function policyTicketKey(key: Uint8Array, policy: string): Buffer {
  const first = createHmac("sha512", key).update(policy).digest();
  return first.subarray(0, ticketKeyBytes);
}

/** Name of a policy's key in hexadecimal. Each ticket starts with the name of its key. */
export function ticketKeyName(policyKey: Uint8Array): string {
  return Buffer.from(policyKey.subarray(0, nameBytes)).toString("hex");
}

/** Name of the key that encrypted a ticket; "" for a ticket that is too short to be one of this server. */
export function nameInTicket(ticket: Uint8Array): string {
  return ticket.length > nameBytes ? ticketKeyName(ticket) : "";
}
