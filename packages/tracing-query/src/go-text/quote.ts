const shortEscapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** Quotes, backslashes, control, format, private and unassigned characters, lone surrogates, spaces except U+0020. */
const unprintable = /["\\]|(?! )[\p{C}\p{Z}]/gu;

function escaped(character: string): string {
  const short = shortEscapes[character];
  if (short !== undefined) {
    return short;
  }
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) {
    return `\\x${code.toString(16).padStart(2, "0")}`;
  }
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}

/**
 * Writes a text in double quotes, as Go's number parsers quote their input. Our error texts are the same. Source: Go's
 * strconv.Quote.
 */
export function quote(text: string): string {
  return `"${text.replace(unprintable, escaped)}"`;
}

/** Characters that Go escapes in JSON. */
const unsafeInPages = /[<>&\u2028\u2029]/g;

/** JSON as Go's encoding/json writes it: safe inside a page, with `<` as `\u003c`. */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(
    unsafeInPages,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
