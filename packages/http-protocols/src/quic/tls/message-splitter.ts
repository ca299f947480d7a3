import { ownCopy } from "../wire/own-copy.ts";
import { alerts, tlsAlert } from "./tls-alert.ts";

const none = Buffer.alloc(0);
const headerBytes = 4;
/** Size limit of a message in bytes. A ClientHello has about two kilobytes, a client's chain may have more. */
const maxMessageBytes = 16_384;

/** Splits the bytes of one level's CRYPTO frames, which arrive in order, into handshake messages. */
export class MessageSplitter {
  #pending: Buffer = none;

  /** Number of bytes that `next` has not returned yet. */
  get pendingBytes(): number {
    return this.#pending.length;
  }

  push(bytes: Buffer): void {
    this.#pending = this.#pending.length === 0 ? ownCopy(bytes) : Buffer.concat([this.#pending, bytes]);
  }

  /**
   * The next whole message with its header; undefined until one is complete.
   * @throws QuicError for a message that is too long
   */
  next(): Buffer | undefined {
    if (this.#pending.length < headerBytes) {
      return undefined;
    }
    const length = headerBytes + this.#pending.readUIntBE(1, 3);
    if (length > maxMessageBytes) {
      throw tlsAlert(alerts.decodeError, `a handshake message of ${length} bytes`);
    }
    if (this.#pending.length < length) {
      return undefined;
    }
    const message = this.#pending.subarray(0, length);
    // An empty view would keep earlier messages in memory.
    this.#pending = length === this.#pending.length ? none : this.#pending.subarray(length);
    return message;
  }
}
