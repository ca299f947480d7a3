import { classAt, isTokenBit, isUrlSafeBit, isWordBits } from "./characters.ts";
import type { Places } from "./detector.ts";

/** Finds JSON web tokens, signed, encrypted or without a signature: parts of base64url, of which the first is JSON. */
export function findJwts(text: string): Places {
  const places: number[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf("eyJ", from);
    if (start < 0) {
      return places;
    }
    from = start + 3;
    if ((classAt(text, start - 1) & isUrlSafeBit) !== 0) {
      continue;
    }
    let end = endOfRun(text, start, isUrlSafeBit);
    let parts = 1;
    while (parts < 5 && text[end] === ".") {
      end = endOfRun(text, end + 1, isUrlSafeBit);
      parts++;
    }
    if (parts >= 3) {
      places.push(start, end);
    }
    from = end;
  }
}

/** @returns first position from `start` on whose character lacks the bit */
function endOfRun(text: string, start: number, bit: number): number {
  let end = start;
  while ((classAt(text, end) & bit) !== 0) {
    end++;
  }
  return end;
}

/** Length limit of the user and password in a URL. */
const maxUserinfo = 1_000;

/** Finds user and password in URLs, between `://` and `@`. A user without a password is not a finding. */
export function findUserinfo(text: string): Places {
  const places: number[] = [];
  let from = 0;
  for (;;) {
    const slashes = text.indexOf("://", from);
    if (slashes < 0) {
      return places;
    }
    const start = slashes + 3;
    let end = start;
    let last = 0;
    while (end < text.length && end - start < maxUserinfo && !endsAuthority.has(text[end] as string)) {
      last = text[end] === "@" ? end : last;
      end++;
    }
    if (last > start && text.slice(start, last).includes(":")) {
      places.push(start, last);
    }
    from = Math.max(end, start);
  }
}

/** Characters that end the part of a URL with user, password and host. */
const endsAuthority = new Set("/?# \t\n\r\"'<>");

/**
 * Minimum lengths of a token: with a digit, and without a digit. Words after "Bearer" in a sentence are shorter or have
 * no digit.
 */
const [leastToken, leastWithoutDigit] = [8, 32];
const scheme = /\b(?:bearer|basic)(?: |%20)(?: |%20){0,3}/gi;

/** Finds credentials after `Bearer` or `Basic`, as in the header Authorization. The word itself stays. */
export function findBearerTokens(text: string): Places {
  const places: number[] = [];
  scheme.lastIndex = 0;
  for (let match = scheme.exec(text); match !== null; match = scheme.exec(text)) {
    const start = match.index + match[0].length;
    const end = endOfRun(text, start, isTokenBit);
    const token = text.slice(start, end);
    if (isBasic(match[0]) ? isBasicToken(token) : isBearerToken(token)) {
      places.push(start, end);
      scheme.lastIndex = end;
    }
  }
  return places;
}

const isBasic = (word: string) => /^basic/i.test(word);

/** True for a token, false for a word: "Bearer of bad news" contains no token. */
function isBearerToken(token: string): boolean {
  return token.length >= leastWithoutDigit || (token.length >= leastToken && /\d/.test(token));
}

/** True when the decoded base64 has a colon, which separates user and password. */
function isBasicToken(token: string): boolean {
  return token.length >= 4 && Buffer.from(token, "base64").includes(0x3a);
}

/** Forms of keys from known services: the prefix, and the minimum number of characters after it. */
const keyForms: readonly (readonly [prefix: string, least: number])[] = [
  ["AKIA", 16],
  ["ASIA", 16],
  ["AIza", 30],
  ["ghp_", 30],
  ["gho_", 30],
  ["ghu_", 30],
  ["ghs_", 30],
  ["ghr_", 30],
  ["github_pat_", 30],
  ["glpat-", 20],
  ["npm_", 30],
  ["sk-", 20],
  ["sk_live_", 16],
  ["sk_test_", 16],
  ["rk_live_", 16],
  ["rk_test_", 16],
  ["whsec_", 20],
  ["xoxa-", 10],
  ["xoxb-", 10],
  ["xoxp-", 10],
  ["xoxr-", 10],
  ["xoxs-", 10],
  ["hf_", 30],
  ["dop_v1_", 40],
  ["SG.", 40],
];
const firstLetters = new Set(keyForms.map(([prefix]) => prefix.charCodeAt(0)));
const [pemBegin, pemEnd] = ["-----BEGIN ", "-----END "];

/** Finds keys by the forms that known services use, and private keys in PEM. */
export function findKeys(text: string): Places {
  const places: number[] = [];
  let index = 0;
  while (index < text.length) {
    const end = endOfKey(text, index);
    if (end > 0) {
      places.push(index, end);
      index = end;
    } else {
      index++;
    }
  }
  return places;
}

/** @returns end of the key; 0 when there is none */
function endOfKey(text: string, start: number): number {
  if (text.startsWith(pemBegin, start)) {
    return endOfPem(text, start);
  }
  if (!firstLetters.has(text.charCodeAt(start)) || (classAt(text, start - 1) & isWordBits) !== 0) {
    return 0;
  }
  for (const [prefix, least] of keyForms) {
    if (text.startsWith(prefix, start)) {
      const bits = prefix === "SG." ? isTokenBit : isUrlSafeBit;
      const end = endOfRun(text, start + prefix.length, bits);
      return end - start - prefix.length >= least ? end : 0;
    }
  }
  return 0;
}

/** End of a private key in PEM: its last line, or the end of a text that was cut. @returns 0 for other PEM documents */
function endOfPem(text: string, start: number): number {
  const label = text.slice(start + pemBegin.length, start + pemBegin.length + 40);
  if (!/^[A-Z ]{0,30}PRIVATE KEY-----/.test(label)) {
    return 0;
  }
  const last = text.indexOf(pemEnd, start);
  if (last < 0) {
    return text.length;
  }
  const rest = /^[A-Z ]{0,30}-{0,5}/.exec(text.slice(last + pemEnd.length, last + pemEnd.length + 40));
  return last + pemEnd.length + (rest?.[0].length ?? 0);
}
