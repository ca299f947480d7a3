/** A fault in a `Content-Type`. The message equals that of Go's `mime.ParseMediaType`, and is sent to clients. */
export class MediaTypeError extends Error {
  override readonly name = "MediaTypeError";
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*/;
const parameter =
  /^;\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[^"\\\r\n]|\\.)*")/;

/**
 * The media type of a `Content-Type` header, in lower case, without its parameters, which must be well
 * formed.
 * @throws MediaTypeError for a value without a type, or with malformed parameters. Source: RFC 2045, section 5.1; Go
 *   documentation, mime.ParseMediaType
 */
export function mediaType(header: string): string {
  const [base = ""] = header.split(";", 1);
  const type = base.trim().toLowerCase();
  checkType(type);
  // The text is trimmed before the match: a pattern with spaces on both sides needs quadratic time.
  let rest = header.slice(base.length).trim();
  const names = new Set<string>();
  while (rest !== "" && rest !== ";") {
    const [all, name] = parameter.exec(rest) ?? [];
    if (all === undefined || name === undefined) {
      throw new MediaTypeError("mime: invalid media parameter");
    }
    if (names.has(name.toLowerCase())) {
      throw new MediaTypeError("mime: duplicate parameter name");
    }
    names.add(name.toLowerCase());
    rest = rest.slice(all.length).trimStart();
  }
  return type;
}

function checkType(type: string): void {
  const main = token.exec(type)?.[0] ?? "";
  if (main === "") {
    throw new MediaTypeError("mime: no media type");
  }
  const afterMain = type.slice(main.length);
  if (afterMain === "") {
    return;
  }
  if (!afterMain.startsWith("/")) {
    throw new MediaTypeError("mime: expected slash after first token");
  }
  const sub = token.exec(afterMain.slice(1))?.[0] ?? "";
  if (sub === "") {
    throw new MediaTypeError("mime: expected token after slash");
  }
  if (sub.length + 1 < afterMain.length) {
    throw new MediaTypeError("mime: unexpected content after media subtype");
  }
}
