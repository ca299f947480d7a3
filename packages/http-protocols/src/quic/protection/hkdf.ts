import { createHmac } from "node:crypto";
import { ByteWriter } from "../wire/byte-writer.ts";
import { ownCopy } from "../wire/own-copy.ts";

export type HashName = "sha256" | "sha384";

export const hashBytes = (hash: HashName): number => (hash === "sha256" ? 32 : 48);

const empty = Buffer.alloc(0);

/** HKDF-Extract. Source: RFC 5869, section 2.2 */
export function hkdfExtract(hash: HashName, salt: Uint8Array, secret: Uint8Array): Buffer {
  return createHmac(hash, salt).update(secret).digest();
}

/** Purpose and length of bytes that are derived from a secret. */
export interface DerivedBytes {
  /** Label of the purpose, without the prefix `tls13 `: `quic key`. */
  readonly label: string;
  /** Hash of the messages so far, or a nonce; absent: empty, as for all packet keys. */
  readonly context?: Uint8Array;
  /** Number of bytes, at most 255 times the length of the hash. */
  readonly length: number;
}

/**
 * HKDF-Expand-Label of TLS 1.3, which QUIC uses too. `node:crypto` has no HKDF without the Extract step.
 * Source: RFC 8446, section 7.1
 */
export function expandLabel(
  hash: HashName,
  secret: Uint8Array,
  { label, context = empty, length }: DerivedBytes,
): Buffer {
  const info = new ByteWriter(96)
    .u16(length)
    .vector(1, (writer) => writer.bytes(Buffer.from(`tls13 ${label}`, "latin1")))
    .vector(1, (writer) => writer.bytes(context)).written;
  const blocks: Buffer[] = [];
  let block = empty;
  for (let index = 1, bytes = 0; bytes < length; index++, bytes += block.length) {
    block = createHmac(hash, secret).update(block).update(info).update(Buffer.of(index)).digest();
    blocks.push(block);
  }
  return ownCopy(blocks.length === 1 ? block.subarray(0, length) : Buffer.concat(blocks, length));
}
