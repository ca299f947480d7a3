import type { HeaderList } from "../header-list.ts";

/** Field lines without folding. The only control character is a tab, inside a value. Source: RFC 9112, section 5 */
const fieldLines = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/;

/**
 * A part of a text without spaces and tabs at both ends, in linear time; a regular expression would take quadratic
 * time.
 */
export function trimBlanks(text: string, start = 0, end = text.length): string {
  let from = start;
  let to = end;
  while (from < to && (text.charCodeAt(from) === 0x20 || text.charCodeAt(from) === 0x09)) {
    from++;
  }
  while (to > from && (text.charCodeAt(to - 1) === 0x20 || text.charCodeAt(to - 1) === 0x09)) {
    to--;
  }
  return text.slice(from, to);
}

/**
 * Parses the field lines of a head, of a request or a response.
 * @param text one character per byte; its last line ends with CR LF
 * @param start position of the first field line
 * @returns undefined when a field line is malformed
 */
export function readFieldLines(text: string, start: number): HeaderList | undefined {
  if (!fieldLines.test(start === 0 ? text : text.slice(start))) {
    return undefined;
  }
  const fields: HeaderList = [];
  let at = start;
  while (at < text.length) {
    const end = text.indexOf("\r\n", at);
    const colon = text.indexOf(":", at);
    fields.push(text.slice(at, colon), trimBlanks(text, colon + 1, end));
    at = end + 2;
  }
  return fields;
}

/** Common values of `Connection`, already split. */
const usualWords: ReadonlyMap<string, readonly string[]> = new Map([
  ["", []],
  ["keep-alive", ["keep-alive"]],
  ["close", ["close"]],
  [",keep-alive", ["", "keep-alive"]],
  [",Keep-Alive", ["", "keep-alive"]],
  [",close", ["", "close"]],
]);

/** The words of `Connection` fields, in lower case. @param joined values of all these fields, joined by commas */
export function connectionWords(joined: string): readonly string[] {
  return usualWords.get(joined) ?? splitWords(joined);
}

function splitWords(joined: string): string[] {
  return joined
    .toLowerCase()
    .split(",")
    .map((each) => each.trim());
}
