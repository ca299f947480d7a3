import { classAt, isHostBit, isLetterBit, isLocalBit } from "./characters.ts";
import type { Places } from "./detector.ts";

/** Length limit of the part before the `@`. Real addresses have at most 64 characters; the limit bounds the time. */
const maxLocal = 256;
/** Length limit of a host name. Source: RFC 1035, section 2.3.4 */
const maxHost = 253;

/** Finds e-mail addresses, also with `%40` instead of `@`, as in URLs. The host must have a dot. */
export function findEmails(text: string): Places {
  const places: number[] = [];
  let earlier = 0;
  for (let index = 0; index < text.length; index++) {
    const width = widthOfAt(text, index);
    if (width === 0) {
      continue;
    }
    let start = index;
    const least = Math.max(earlier, index - maxLocal);
    while (start > least && (classAt(text, start - 1) & isLocalBit) !== 0) {
      start--;
    }
    const end = start === index ? 0 : endOfHost(text, index + width);
    if (end > 0) {
      places.push(start, end);
      earlier = end;
      index = end - 1;
    }
  }
  return places;
}

/** @returns number of characters that encode `@` at `index`: 1, or 3 for `%40`; 0 for other characters */
function widthOfAt(text: string, index: number): number {
  const character = text[index];
  if (character === "@") {
    return 1;
  }
  return character === "%" && text.startsWith("40", index + 1) ? 3 : 0;
}

/** @returns end of the host name; 0 when no host name begins at `start` */
function endOfHost(text: string, start: number): number {
  let end = start;
  const most = start + maxHost;
  while (end < most && (classAt(text, end) & isHostBit) !== 0) {
    end++;
  }
  while (end > start && (text[end - 1] === "." || text[end - 1] === "-")) {
    end--;
  }
  let dot = end - 1;
  while (dot > start && text[dot] !== ".") {
    dot--;
  }
  const isHost = dot > start && end - dot > 2 && (classAt(text, dot + 1) & isLetterBit) !== 0;
  return isHost && text[start] !== "." ? end : 0;
}
