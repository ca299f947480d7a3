import { type CipherGCM, createCipheriv, createDecipheriv, type DecipherGCM } from "node:crypto";
import type { CipherSuite } from "./cipher-suites.ts";
import { expandLabel } from "./hkdf.ts";

export const tagBytes = 16;
const nonceBytes = 12;
const tagOption = { authTagLength: tagBytes };

/** Positions of a packet and its payload in a buffer. */
export interface PayloadPlace {
  /** First byte of the packet. */
  readonly from: number;
  /** First byte after the packet number. */
  readonly payloadAt: number;
  /** Offset of the first byte after the payload, where the tag begins. */
  readonly payloadEnd: number;
  /** The full packet number in its space. */
  readonly packetNumber: number;
}

/** Encrypts or decrypts the payloads of one direction with one key. Source: RFC 9001, section 5.3 */
export class PacketCipher {
  readonly suite: CipherSuite;
  readonly #secret: Uint8Array;
  readonly #key: Buffer;
  readonly #iv: Buffer;
  readonly #nonce = Buffer.alloc(nonceBytes);

  constructor(suite: CipherSuite, secret: Uint8Array) {
    this.suite = suite;
    this.#secret = secret;
    this.#key = expandLabel(suite.hash, secret, { label: "quic key", length: suite.keyBytes });
    this.#iv = expandLabel(suite.hash, secret, { label: "quic iv", length: nonceBytes });
  }

  /** The cipher of the next key phase. Source: RFC 9001, section 6.1 */
  next(): PacketCipher {
    const { hash } = this.suite;
    return new PacketCipher(
      this.suite,
      expandLabel(hash, this.#secret, { label: "quic ku", length: this.#secret.length }),
    );
  }

  /** Encrypts the payload in place and writes the tag after it. The header is authenticated too. */
  seal(packet: Buffer, { from, payloadAt, payloadEnd, packetNumber }: PayloadPlace): void {
    // The types of Node do not know that all three ciphers are AEADs.
    const cipher = createCipheriv(
      this.suite.cipher as "aes-128-gcm",
      this.#key,
      this.#nonceOf(packetNumber),
      tagOption,
    ) as CipherGCM;
    cipher.setAAD(packet.subarray(from, payloadAt), { plaintextLength: payloadEnd - payloadAt });
    packet.set(cipher.update(packet.subarray(payloadAt, payloadEnd)), payloadAt);
    cipher.final();
    packet.set(cipher.getAuthTag(), payloadEnd);
  }

  /** @returns the payload, undefined for a packet that was not sealed with this key */
  open(packet: Buffer, { from, payloadAt, payloadEnd, packetNumber }: PayloadPlace): Buffer | undefined {
    if (payloadEnd < payloadAt) {
      return undefined;
    }
    const decipher = createDecipheriv(
      this.suite.cipher as "aes-128-gcm",
      this.#key,
      this.#nonceOf(packetNumber),
      tagOption,
    ) as DecipherGCM;
    decipher.setAuthTag(packet.subarray(payloadEnd, payloadEnd + tagBytes));
    decipher.setAAD(packet.subarray(from, payloadAt), { plaintextLength: payloadEnd - payloadAt });
    const payload = decipher.update(packet.subarray(payloadAt, payloadEnd));
    try {
      decipher.final();
    } catch {
      return undefined;
    }
    return payload;
  }

  #nonceOf(packetNumber: number): Buffer {
    const nonce = this.#nonce;
    this.#iv.copy(nonce);
    // Numbers have 53 bits at most.
    nonce.writeUInt32BE((nonce.readUInt32BE(4) ^ Math.floor(packetNumber / 2 ** 32)) >>> 0, 4);
    nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ (packetNumber % 2 ** 32)) >>> 0, 8);
    return nonce;
  }
}
