import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { PeerAddress } from "../connection/network-path.ts";
import { ByteReader } from "../wire/byte-reader.ts";
import { ByteWriter } from "../wire/byte-writer.ts";

/** A client answers a Retry within a few round trips. */
const maxAgeMs = 15_000;
const nonceBytes = 12;
const tagBytes = 16;
const shortToken = () => new RangeError("the token ends too early");

/** Tokens of Retry packets: who returns one receives at its address. The server keeps nothing. Source: RFC 9000, section 8.1.2 */
export class AddressTokens {
  readonly #key: Buffer;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    this.#key = key;
  }

  /** @param originalId destination id of the client's first packet, which the handshake must name */
  seal(address: PeerAddress, originalId: Buffer, nowMs: number): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(addressBytes(address));
    const content = new ByteWriter(64).varint(Math.floor(nowMs)).bytes(originalId).written;
    return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  }

  /** @returns the original id; undefined for a token of another server or address, or one that is too old */
  open(token: Buffer, address: PeerAddress, nowMs: number): Buffer | undefined {
    if (token.length < nonceBytes + tagBytes) {
      return undefined;
    }
    const decipher = createDecipheriv("aes-256-gcm", this.#key, token.subarray(0, nonceBytes));
    decipher.setAAD(addressBytes(address)).setAuthTag(token.subarray(-tagBytes));
    try {
      const content = Buffer.concat([
        decipher.update(token.subarray(nonceBytes, -tagBytes)),
        decipher.final(),
      ]);
      const reader = new ByteReader(content, shortToken);
      const age = nowMs - reader.varint();
      return age >= -1 && age <= maxAgeMs ? reader.take(reader.left) : undefined;
    } catch {
      return undefined;
    }
  }
}

const addressBytes = ({ address, port }: PeerAddress) => Buffer.from(`${address} ${port}`, "latin1");
