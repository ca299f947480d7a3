/** A piece of a text: literal text, or the name of a placeholder. */
export type TextPart = string | { readonly name: string };

/**
 * Maximum number of unclosed braces in a text. After these, every `{` counts as plain text, so that scanning stays
 * fast. Source: Caddy 2.11
 */
const maxUnclosed = 100;

/**
 * Position of the brace that closes the placeholder opened at `open`; undefined when it is not closed. An escaped brace
 * does not close a placeholder.
 */
function closingBrace(text: string, open: number): number | undefined {
  let end = text.indexOf("}", open);
  while (end > 0 && end < text.length - 1 && text[end - 1] === "\\") {
    end = text.indexOf("}", end + 1);
  }
  return end === -1 ? undefined : end;
}

/**
 * Splits a text into literal text and placeholders. `\{` and `\}` are literal braces. When `isKnown` is false for a
 * name, the brace is literal, and the text after it is scanned again.
 * Source: Caddy 2.11
 */
export function scanPlaceholders(text: string, isKnown: (name: string) => boolean): TextPart[] {
  const parts: TextPart[] = [];
  let written = 0;
  let unclosed = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char !== "{" && char !== "}") {
      continue;
    }
    if (at > 0 && text[at - 1] === "\\") {
      parts.push(text.slice(written, at - 1));
      written = at;
      continue;
    }
    const end = char === "{" && unclosed <= maxUnclosed ? closingBrace(text, at) : undefined;
    if (end === undefined) {
      unclosed += char === "{" ? 1 : 0;
      continue;
    }
    const name = text.slice(at + 1, end);
    if (isKnown(name)) {
      parts.push(text.slice(written, at), { name });
      at = end;
      written = end + 1;
    }
  }
  parts.push(text.slice(written));
  return parts.filter((part) => part !== "");
}
