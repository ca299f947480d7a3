import { findCards } from "./card.ts";
import type { Find } from "./detector.ts";
import { findEmails } from "./email.ts";
import { findIpv4, findIpv6 } from "./ip.ts";
import { findBearerTokens, findJwts, findKeys, findUserinfo } from "./token.ts";

/** A detector of this program. */
export interface BuiltInDetector {
  readonly find: Find;
  /** Its bit in sets of detectors. */
  readonly bit: number;
}

/** All built-in detectors by their names in files of rules. */
export const builtInDetectors = {
  email: { find: findEmails, bit: 1 },
  card: { find: findCards, bit: 2 },
  ipv4: { find: findIpv4, bit: 4 },
  ipv6: { find: findIpv6, bit: 8 },
  jwt: { find: findJwts, bit: 16 },
  bearer: { find: findBearerTokens, bit: 32 },
  key: { find: findKeys, bit: 64 },
  userinfo: { find: findUserinfo, bit: 128 },
} as const satisfies Record<string, BuiltInDetector>;

export type DetectorName = keyof typeof builtInDetectors;

export const detectorNames = Object.keys(builtInDetectors) as [DetectorName, ...DetectorName[]];

/** The set of all detectors. */
const all = 255;

// Each byte adds to four counts in one number: digits in the lowest 8 bits, then `.`, `:` and `@` with 8 bits each.
// Each count fits for values of up to 255 bytes.
const sums = new Uint32Array(256);
/** Flags for blanks and percent signs. */
const flags = new Uint8Array(256);
for (let digit = 0x30; digit <= 0x39; digit++) {
  sums[digit] = 1;
}
for (const [place, character] of [".", ":", "@"].entries()) {
  sums[character.charCodeAt(0)] = 1 << (8 * (place + 1));
}
const [isBlank, isPercent] = [1, 2];
flags[0x20] = isBlank;
flags[0x25] = isPercent;
const longest = 255;

/** For each byte, the number that it adds to the sum of a value. */
export const traitSums: Readonly<Uint32Array> = sums;
/** For each byte, its flags. */
export const traitFlags: Readonly<Uint8Array> = flags;

/**
 * The detectors that may find something in a value, from one pass over its bytes.
 * @param sum of {@link traitSums} over its bytes, in 32 bits
 * @param seen all of its {@link traitFlags}
 * @returns one bit for each such detector; all bits for long values
 */
export function detectorsFor(sum: number, seen: number, length: number): number {
  if (length > longest) {
    return all;
  }
  const dots = (sum >>> 8) & 0xff;
  const { email, card, ipv4, ipv6, jwt, bearer, key, userinfo } = builtInDetectors;
  let bits = 0;
  if (dots > 0 && (sum >>> 24 > 0 || (seen & isPercent) !== 0)) {
    bits |= email.bit;
  }
  if ((sum & 0xff) >= 13) {
    bits |= card.bit;
  }
  if (dots >= 3 && (sum & 0xff) >= 4) {
    bits |= ipv4.bit;
  }
  if (((sum >>> 16) & 0xff) >= 2) {
    bits |= ipv6.bit;
  }
  if (sum >>> 24 > 0 && ((sum >>> 16) & 0xff) >= 2) {
    bits |= userinfo.bit;
  }
  if (dots >= 2 && length >= 10) {
    bits |= jwt.bit;
  }
  if (seen !== 0 && length >= 10) {
    bits |= bearer.bit;
  }
  return length >= 15 ? bits | key.bit : bits;
}
