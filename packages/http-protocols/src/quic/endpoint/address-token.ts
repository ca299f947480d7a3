import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { PeerAddress } from "../connection/network-path.ts";
import { ByteReader } from "../wire/byte-reader.ts";
import { ByteWriter } from "../wire/byte-writer.ts";

/** First byte of a token: its purpose. Source: RFC 9000, section 8.1.1 */
const kinds = { retry: 1, returning: 2 } as const;
/** Validity of a Retry token in milliseconds. A client answers a Retry within a few round trips. */
const maxRetryAgeMs = 15_000;
/** Validity of a token for later connections in milliseconds: the client need not prove its address again. */
const maxReturningAgeMs = 86_400_000;
const nonceBytes = 12;
const tagBytes = 16;
const shortToken = () => new RangeError("the token ends too early");
/** Bytes that are authenticated in addition to the content. For returning clients without the port, which changes. */
const retryContext = ({ address, port }: PeerAddress) => Buffer.from(`${address} ${port}`, "latin1");
const returningContext = ({ address }: PeerAddress) => Buffer.from(address, "latin1");

/** A client that answers a Retry. */
export interface RetriedClient {
  /** Destination ID of its first packet. */
  readonly originalId: Buffer;
  /** Time of the token's creation, as passed to `seal`. */
  readonly sealedAt: number;
}

/**
 * Tokens by which a client proves that it receives packets at its address. The server stores nothing. Source: RFC 9000,
 * section 8.1
 */
export class AddressTokens {
  readonly #key: Buffer;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /**
   * Creates a token for a Retry.
   * @param originalId destination ID of the client's first packet, which the handshake must name
   * @param nowMs time of the client's first packet, on the clock that `open` uses
   */
  seal(address: PeerAddress, originalId: Buffer, nowMs: number): Buffer {
    return this.#seal(kinds.retry, retryContext(address), originalId, nowMs);
  }

  /** Creates a token for NEW_TOKEN: it is valid for the client's next connections from this address. */
  sealReturning(address: PeerAddress, nowMs: number): Buffer {
    return this.#seal(kinds.returning, returningContext(address), Buffer.alloc(0), nowMs);
  }

  /** True when a token claims to come from a Retry. Such a client cannot accept another Retry. */
  isOfRetry(token: Buffer): boolean {
    return token[0] === kinds.retry;
  }

  /** @returns undefined for a token of another server or address, or one that is too old */
  open(token: Buffer, address: PeerAddress, nowMs: number): RetriedClient | undefined {
    const opened = this.isOfRetry(token)
      ? this.#open(token, retryContext(address), nowMs, maxRetryAgeMs)
      : undefined;
    return opened && { originalId: opened.content, sealedAt: opened.sealedAt };
  }

  isReturning(token: Buffer, address: PeerAddress, nowMs: number): boolean {
    return (
      token[0] === kinds.returning &&
      this.#open(token, returningContext(address), nowMs, maxReturningAgeMs) !== undefined
    );
  }

  #seal(kind: number, context: Buffer, content: Buffer, nowMs: number): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    cipher.setAAD(Buffer.concat([Buffer.of(kind), context]));
    const plain = new ByteWriter(64).varint(Math.floor(nowMs)).bytes(content).written;
    return Buffer.concat([Buffer.of(kind), nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  #open(
    token: Buffer,
    context: Buffer,
    nowMs: number,
    maxAgeMs: number,
  ): { readonly content: Buffer; readonly sealedAt: number } | undefined {
    const sealed = token.subarray(1);
    if (sealed.length < nonceBytes + tagBytes) {
      return undefined;
    }
    const decipher = createDecipheriv("aes-256-gcm", this.#key, sealed.subarray(0, nonceBytes));
    decipher.setAAD(Buffer.concat([token.subarray(0, 1), context])).setAuthTag(sealed.subarray(-tagBytes));
    try {
      const content = Buffer.concat([
        decipher.update(sealed.subarray(nonceBytes, -tagBytes)),
        decipher.final(),
      ]);
      const reader = new ByteReader(content, shortToken);
      const sealedAt = reader.varint();
      const age = nowMs - sealedAt;
      return age >= -1 && age <= maxAgeMs ? { content: reader.take(reader.left), sealedAt } : undefined;
    } catch {
      return undefined;
    }
  }
}
