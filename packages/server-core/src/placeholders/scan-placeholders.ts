/** A piece of a text: as it stands, or a placeholder by its name. */
export type TextPart = string | { readonly name: string };

/** Source: the public model (Caddy 2.11) */
const maxUnclosed = 100;

/** Where the placeholder ends that opens at `open`; undefined when nothing closes it. An escaped brace does not. */
function closingBrace(text: string, open: number): number | undefined {
  let end = text.indexOf("}", open);
  while (end > 0 && end < text.length - 1 && text[end - 1] === "\\") {
    end = text.indexOf("}", end + 1);
  }
  return end === -1 ? undefined : end;
}

/**
 * Takes a text apart. `\{` and `\}` are braces. Where `isKnown` says no, a brace is text, and what follows it is looked
 * through again.
 * Source: the public model (Caddy 2.11)
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
