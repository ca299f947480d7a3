import { createHmac, timingSafeEqual } from "node:crypto";

/** Seconds of one period. Each period has its own code. Source: RFC 6238, section 5.2 */
const periodS = 30;
/** Number of periods before and after the current period whose codes are accepted, because clocks differ. */
const skew = 1;
/** Minimum number of bytes of a secret: RFC 4226 wants 16, but known providers give 10. */
const minSecretBytes = 10;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Decodes base32 without regard to case, spaces and padding. @returns undefined for other text, and for a short secret */
export function readSecret(text: string): Buffer | undefined {
  const plain = text.replace(/[\s=]/g, "").toUpperCase();
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const character of plain) {
    const index = alphabet.indexOf(character);
    if (index < 0) {
      return undefined;
    }
    value = ((value << 5) | index) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >> bits) & 0xff);
    }
  }
  return bytes.length < minSecretBytes ? undefined : Buffer.from(bytes);
}

/** The code of one period. Source: RFC 4226, section 5.3 */
export function codeOf(secret: Buffer, period: number, digits: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(period));
  const hash = createHmac("sha1", secret).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const number = (hash.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** digits;
  return String(number).padStart(digits, "0");
}

/** Compares with all codes that count now, in the same time for each. @returns the period of the code; undefined: wrong */
export function periodOf(secret: Buffer, code: string, digits: number, nowMs: number): number | undefined {
  const given = Buffer.from(code.padEnd(digits).slice(0, 64));
  const present = Math.floor(nowMs / 1000 / periodS);
  let found: number | undefined;
  for (let period = present - skew; period <= present + skew; period++) {
    const right = Buffer.from(codeOf(secret, period, digits));
    if (right.length === given.length && timingSafeEqual(right, given)) {
      found = period;
    }
  }
  return found;
}
