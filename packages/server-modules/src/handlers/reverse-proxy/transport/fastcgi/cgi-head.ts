import type { HeaderList } from "http-engine/header-list";
import { trimBlanks } from "http-protocols/http1/field-lines";

export interface CgiHead {
  /** Status from the field `Status`; 200 without it. Source: RFC 3875, section 6.3.3 */
  readonly status: number;
  /** Other header fields of the response. */
  readonly headers: HeaderList;
  /** Declared body length in bytes; undefined when none is declared. */
  readonly length: number | undefined;
}

/**
 * Matches a header line. The name may contain blanks; a line with such a name is then skipped. Control characters are
 * refused.
 */
const fieldLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z ]+):([\t\x20-\x7e\x80-\xff]*)$/;

/** Finds the end of the head and the start of the body; undefined while the end is missing. */
export function cgiHeadEnd(bytes: Buffer): { readonly end: number; readonly body: number } | undefined {
  let lineStart = 0;
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) {
    const empty = at === lineStart || (at === lineStart + 1 && bytes[lineStart] === 0x0d);
    if (empty) {
      return { end: lineStart, body: at + 1 };
    }
    lineStart = at + 1;
  }
  return undefined;
}

/**
 * Parses the head of a CGI response. Lines end with LF or CR LF; a folded field spans several lines. A line whose name
 * contains blanks is skipped, because some programs print such lines. `Status: 404 Not Found` sets the status.
 * `Location` without a `Status` means 302.
 * @param text one character for each byte
 * @throws Error with the reason
 * Source: RFC 3875, section 6
 */
export function parseCgiHead(text: string): CgiHead {
  let status = 200;
  let length: number | undefined;
  const headers: HeaderList = [];
  for (const line of text.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/)) {
    if (line === "") {
      continue;
    }
    const field = fieldLine.exec(line);
    if (field === null) {
      throw new Error(`malformed CGI header ${JSON.stringify(line.slice(0, 80))}`);
    }
    const [, name = "", padded = ""] = field;
    if (name.includes(" ")) {
      continue;
    }
    const value = trimBlanks(padded);
    const lower = name.toLowerCase();
    if (lower === "status") {
      const code = /^([2-9]\d\d)(?: |$)/.exec(value);
      if (code === null) {
        throw new Error(`malformed CGI status ${JSON.stringify(value.slice(0, 80))}`);
      }
      status = Number(code[1]);
    } else if (lower !== "transfer-encoding") {
      headers.push(name, value);
      if (lower === "content-length" && /^\d{1,15}$/.test(value)) {
        length = Number(value);
      }
    }
  }
  const redirects = headers.some((each, index) => index % 2 === 0 && each.toLowerCase() === "location");
  return { status: status === 200 && redirects && !/^status:/im.test(text) ? 302 : status, headers, length };
}
