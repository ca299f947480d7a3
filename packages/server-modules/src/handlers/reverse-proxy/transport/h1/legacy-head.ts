/**
 * Finds the end of a head whose lines may end with LF alone. `"HTTP/1.0 200 OK\nA: b\n\nbody"` ends at 21, and its body
 * begins at 22.
 * @param from offset from which the end is searched
 * @returns `end`: offset after the LF of the last line; `body`: offset after the empty line; undefined for an
 * incomplete head
 */
export function legacyHeadEnd(
  bytes: Buffer,
  from = 0,
): { readonly end: number; readonly body: number } | undefined {
  const bare = bytes.indexOf("\n\n", from);
  const mixed = bytes.indexOf("\n\r\n", from);
  if (bare === -1 && mixed === -1) {
    return undefined;
  }
  return mixed === -1 || (bare !== -1 && bare < mixed)
    ? { end: bare + 1, body: bare + 2 }
    : { end: mixed + 1, body: mixed + 3 };
}

/** Matches a field name that contains blanks or ends with one. */
const blankName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z][!#$%&'*+\-.^_`|~0-9A-Za-z ]*$/;
/** Matches the names of fields that determine the end of the body. */
const framingName = /^(?:content-length|transfer-encoding) *$/i;

/** True for a field line whose name contains blanks and does not frame the body. Runs in linear time. */
function isBlankName(line: string): boolean {
  const name = line.slice(0, Math.max(0, line.indexOf(":")));
  return name.includes(" ") && blankName.test(name) && !framingName.test(name);
}

/**
 * Converts a head from older or careless programs to current syntax. Lines end with CR LF, and a folded field becomes
 * one line. A field whose name contains blanks is removed. A framing field is not repaired: with a blank in its name
 * the head stays malformed, because two readers could end the body at different places.
 * @param text one character for each byte; the last line ends with LF
 * Source: RFC 9112, sections 2.2, 5.1 and 5.2
 */
export function currentHead(text: string): string {
  const [status = "", ...lines] = text.replace(/(?<!\r)\n/g, "\r\n").split("\r\n");
  if (/^[ \t]/.test(lines[0] ?? "")) {
    return text; // the field line would continue the status line
  }
  const unfolded = lines.join("\r\n").replace(/\r\n[ \t]+/g, " ");
  return [status, ...unfolded.split("\r\n").filter((line) => !isBlankName(line))].join("\r\n");
}
