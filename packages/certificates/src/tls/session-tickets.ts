import { createHmac, randomBytes } from "node:crypto";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Size in bytes of the key material that the TLS library needs. */
export const ticketKeyBytes = 48;
/** Number of bytes of a key that each ticket contains unencrypted, so that the server can find the key. */
const nameBytes = 16;

/**
 * The keys that encrypt session tickets. All threads have the same keys, so that each thread accepts tickets from any
 * thread.
 */
export interface TicketKeys extends SharedResource {
  /** The keys, newest first. The newest key encrypts new tickets; tickets of the other keys remain valid. */
  readonly keys: readonly Uint8Array[];
  /**
   * Starts to replace the key at this interval.
   * @param maxKeys limit of keys; when an older key is dropped, its tickets become invalid
   * @param changed called after each change
   */
  rotateEvery(intervalMs: number, maxKeys: number, changed: () => void): void;
}

/** All threads have the same keys, so that each thread accepts tickets from any thread. */
export const ticketKeys: ResourceKind<TicketKeys> = { name: "tls.tickets" };

/**
 * Keys that this process makes and stores only in its memory.
 *
 * | Key | Meaning |
 * |---|---|
 * | the first | encrypts new tickets |
 * | any other | its tickets still resume a session |
 * | dropped | a client with a ticket of this key gets a full handshake |
 *
 * After every interval, a new key becomes the first, and the last key is dropped if there are more than `maxKeys`.
 */
export class TicketKeyRing implements TicketKeys {
  /** The keys are created at their first use, so that a start without TLS does not load Node's cryptography. */
  #keys: readonly Uint8Array[] | undefined;
  /** Timer for the next key; undefined while the key is not replaced at an interval. */
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
 * The key of one policy: 48 bytes of an HMAC of the shared key. Other policies refuse tickets that this key encrypted,
 * because they may require a client certificate.
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

/** Name of the key that encrypted a ticket; "" for a text that is too short to be a ticket of this server. */
export function nameInTicket(ticket: Uint8Array): string {
  return ticket.length > nameBytes ? ticketKeyName(ticket) : "";
}
