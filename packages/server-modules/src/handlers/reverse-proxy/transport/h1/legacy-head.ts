const token = "!#$%&'*+\\-.^_`|~0-9A-Za-z";
/** A field whose name has a blank in it or behind it, but for those that frame the body. */
const blankNames = new RegExp(
  `^(?!(?:content-length|transfer-encoding)[ ]*:)[${token}][${token} ]* [${token} ]*:[^\\r\\n]*\\r\\n`,
  "gim",
);

/**
 * Where a head ends whose lines may end with LF alone.
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

/**
 * Writes a head of older or careless programs in today's form. Lines end with CR LF, and a folded field stands on one
 * line. A field whose name has blanks is left out. A field that frames the body is not mended: with a blank in its name
 * the head stays malformed, as two readers could end the body at two places.
 * @param text one character a byte; its last line ends with LF
 * Source: RFC 9112, sections 2.2, 5.1 and 5.2
 */
export function currentHead(text: string): string {
  const lines = text.replace(/(?<!\r)\n/g, "\r\n");
  const fieldsAt = lines.indexOf("\r\n") + 2;
  const fields = lines.slice(fieldsAt);
  if (/^[ \t]/.test(fields)) {
    return text; // it would fold the status line
  }
  return lines.slice(0, fieldsAt) + fields.replace(/\r\n[ \t]+/g, " ").replace(blankNames, "");
}
