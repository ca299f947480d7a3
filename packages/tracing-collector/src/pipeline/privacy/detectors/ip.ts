import { isIPv6 } from "node:net";
import { classAt, isDigitBit, isHexBit, isWordBits } from "./characters.ts";
import type { Places } from "./detector.ts";

/** Length limit of an IPv6 address, which may end with an IPv4 address. */
const maxIpv6 = 45;

/** Finds IPv4 addresses in dotted form. Numbers with more than four parts are not addresses. */
export function findIpv4(text: string): Places {
  const places: number[] = [];
  let index = 0;
  while (index < text.length) {
    if ((classAt(text, index) & isDigitBit) === 0) {
      index++;
      continue;
    }
    const isStart = text[index - 1] !== "." && (classAt(text, index - 1) & isWordBits) === 0;
    const end = isStart ? endOfIpv4(text, index) : 0;
    if (end > 0) {
      places.push(index, end);
      index = end;
      continue;
    }
    while ((classAt(text, index) & isDigitBit) !== 0) {
      index++;
    }
  }
  return places;
}

/** @returns end of the address; 0 when there is none */
function endOfIpv4(text: string, start: number): number {
  let index = start;
  for (let part = 0; part < 4; part++) {
    if (part > 0 && text[index++] !== ".") {
      return 0;
    }
    const from = index;
    while (index - from < 4 && (classAt(text, index) & isDigitBit) !== 0) {
      index++;
    }
    const digits = index - from;
    if (digits === 0 || digits > 3 || Number(text.slice(from, index)) > 255) {
      return 0;
    }
  }
  const goesOn =
    (classAt(text, index) & isWordBits) !== 0 ||
    (text[index] === "." && (classAt(text, index + 1) & isDigitBit) !== 0);
  return goesOn || isVersion(text, start, index) ? 0 : index;
}

/** True for a version such as `Chrome/149.0.0.0`, which browsers send and which is not an address. */
function isVersion(text: string, start: number, end: number): boolean {
  return text[start - 1] === "/" && text.slice(start, end).endsWith(".0.0.0");
}

const isPartOfIpv6 = (text: string, index: number) =>
  (classAt(text, index) & isHexBit) !== 0 || text[index] === ":" || text[index] === ".";

/** Finds IPv6 addresses. Texts without any digit, such as `Bad::Face`, count as names in code. */
export function findIpv6(text: string): Places {
  const places: number[] = [];
  let index = 0;
  while (index < text.length) {
    if (!isPartOfIpv6(text, index)) {
      index++;
      continue;
    }
    const start = index;
    while (isPartOfIpv6(text, index)) {
      index++;
    }
    const isWhole =
      (classAt(text, start - 1) & isWordBits) === 0 && (classAt(text, index) & isWordBits) === 0;
    const end = isWhole ? endOfIpv6(text, start, index) : 0;
    if (end > 0) {
      places.push(start, end);
    }
  }
  return places;
}

/** End of the address, without punctuation that follows it in a sentence. @returns 0 when there is none */
function endOfIpv6(text: string, start: number, runEnd: number): number {
  for (let end = runEnd; end > start && runEnd - end < 3; end--) {
    const part = text.slice(start, end);
    if (end - start <= maxIpv6 && /\d/.test(part) && isIPv6(part)) {
      return end;
    }
    if (text[end - 1] !== "." && text[end - 1] !== ":") {
      break;
    }
  }
  return 0;
}
