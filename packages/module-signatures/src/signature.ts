import { createHmac, timingSafeEqual } from "node:crypto";

/** Digest length in bytes, by algorithm. */
const digestBytes = { md5: 16, sha1: 20, sha256: 32, sha384: 48, sha512: 64 } as const;

/** Algorithms for `hmac`; signed URLs accept the three longest. */
export type SignatureAlgorithm = keyof typeof digestBytes;

/**
 * Parses a signature in hexadecimal or Base64; undefined for any other text. `ab01…` and `qwE…=` are the same
 * signature. The text's length decides which form is read.
 */
function readSignature(text: string, bytes: number): Buffer | undefined {
  if (text.length === bytes * 2 && /^[0-9a-f]+$/i.test(text)) {
    return Buffer.from(text, "hex");
  }
  const bare = text.replace(/={1,2}$/, "");
  if (/^(?:[\w-]+|[A-Za-z0-9+/]+)$/.test(bare)) {
    const read = Buffer.from(bare, "base64"); // takes the alphabet for URLs as well
    return read.length === bytes && bare.length === Math.ceil((bytes * 4) / 3) ? read : undefined;
  }
  return undefined;
}

export function sign(algorithm: SignatureAlgorithm, secret: string, signed: string | Uint8Array): Buffer {
  return createHmac(algorithm, secret).update(signed).digest();
}

/**
 * True when a text is the expected signature. The comparison takes constant time.
 * @param text hexadecimal digits, or Base64 in either alphabet, with or without final `=`
 */
export function isSignature(algorithm: SignatureAlgorithm, expected: Buffer, text: string): boolean {
  const read = readSignature(text, digestBytes[algorithm]);
  return read !== undefined && timingSafeEqual(read, expected);
}
