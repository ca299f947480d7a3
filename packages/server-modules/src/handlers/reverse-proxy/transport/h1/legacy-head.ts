/**
 * Where a head ends whose lines may end with LF alone. `"HTTP/1.0 200 OK\nA: b\n\nbody"` ends at 21, and its
 * body begins at 22.
 * @param from where to begin looking
 * @returns `end`: behind the LF of its last line; `body`: behind the empty line; undefined when the end is not there yet
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

/** Characters of a name that may have blanks in it or behind it. */
const blankName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z][!#$%&'*+\-.^_`|~0-9A-Za-z ]*$/;
/** These two decide where the body ends. */
const framingName = /^(?:content-length|transfer-encoding) *$/i;

/** Whether a line is a field whose name has blanks, and no field that frames the body. Takes linear time. */
function isBlankName(line: string): boolean {
  const name = line.slice(0, Math.max(0, line.indexOf(":")));
  return name.includes(" ") && blankName.test(name) && !framingName.test(name);
}

/**
 * Writes a head of older or careless programs in today's form. Lines end with CR LF, and a folded field stands on one
 * line. A field whose name has blanks is left out. A field that frames the body is not mended: with a blank in its name
 * the head stays malformed, as two readers could end the body at two places.
 * @param text one character a byte; its last line ends with LF
 * Source: RFC 9112, sections 2.2, 5.1 and 5.2
 */
export function currentHead(text: string): string {
  const [status = "", ...lines] = text.replace(/(?<!\r)\n/g, "\r\n").split("\r\n");
  if (/^[ \t]/.test(lines[0] ?? "")) {
    return text; // it would fold the status line
  }
  const unfolded = lines.join("\r\n").replace(/\r\n[ \t]+/g, " ");
  return [status, ...unfolded.split("\r\n").filter((line) => !isBlankName(line))].join("\r\n");
}
