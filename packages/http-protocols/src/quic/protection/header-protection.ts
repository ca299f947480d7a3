import { type Cipheriv, createCipheriv } from "node:crypto";
import { isLongHeader } from "../wire/packet-header.ts";
import type { CipherSuite } from "./cipher-suites.ts";
import { expandLabel } from "./hkdf.ts";

const fiveZeros = Buffer.alloc(5);
/** The sample starts where a packet number of four bytes would end. */
const sampleOffset = 4;
export const sampleBytes = 16;

/**
 * Hides the packet number and the low bits of the first byte. A key update does not change its key.
 * Source: RFC 9001, section 5.4
 */
export class HeaderProtection {
  readonly #key: Buffer;
  /**
   * ECB has no state between blocks, so one cipher object is used for all packets; undefined for ChaCha20, which needs
   * a nonce.
   */
  readonly #blockCipher: Cipheriv | undefined;

  constructor(suite: CipherSuite, secret: Uint8Array) {
    this.#key = expandLabel(suite.hash, secret, { label: "quic hp", length: suite.keyBytes });
    this.#blockCipher =
      suite.headerCipher === "chacha20"
        ? undefined
        : createCipheriv(suite.headerCipher, this.#key, null).setAutoPadding(false);
  }

  /** Protects the header of an encrypted packet in place. */
  protect(packet: Buffer, from: number, numberAt: number): void {
    const first = packet[from] as number;
    const mask = this.#mask(packet, numberAt);
    packet[from] = first ^ ((mask[0] as number) & (isLongHeader(first) ? 0x0f : 0x1f));
    this.#maskNumber(packet, numberAt, (first & 3) + 1, mask);
  }

  /**
   * Removes the protection in place.
   * @returns the bytes of the packet number, 0 for a packet that is too short for a sample
   */
  unprotect(packet: Buffer, from: number, numberAt: number, end: number): number {
    if (numberAt + sampleOffset + sampleBytes > end) {
      return 0;
    }
    const mask = this.#mask(packet, numberAt);
    const hidden = packet[from] as number;
    const first = hidden ^ ((mask[0] as number) & (isLongHeader(hidden) ? 0x0f : 0x1f));
    packet[from] = first;
    const numberBytes = (first & 3) + 1;
    this.#maskNumber(packet, numberAt, numberBytes, mask);
    return numberBytes;
  }

  #maskNumber(packet: Buffer, numberAt: number, numberBytes: number, mask: Buffer): void {
    for (let index = 0; index < numberBytes; index++) {
      packet[numberAt + index] = (packet[numberAt + index] as number) ^ (mask[index + 1] as number);
    }
  }

  #mask(packet: Buffer, numberAt: number): Buffer {
    const sample = packet.subarray(numberAt + sampleOffset, numberAt + sampleOffset + sampleBytes);
    return this.#blockCipher === undefined
      ? createCipheriv("chacha20", this.#key, sample).update(fiveZeros)
      : this.#blockCipher.update(sample);
  }
}
