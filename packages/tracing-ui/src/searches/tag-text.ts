/** Parsed tags, or an error message for the user who typed the text. */
export type ParsedTags = { ok: true; tags: Record<string, string> } | { ok: false; message: string };

/**
 * Parses `error=true http.url="/a b" "odd key"=x`. Inside quotes, `\"` is a quote, `\\` a backslash, and `\n` a
 * line break, which a single-line field cannot contain. A JSON object of strings, as in links made for Jaeger,
 * is parsed too.
 */
export function parseTagText(text: string): ParsedTags {
  const trimmed = text.trim();
  if (trimmed.startsWith("{")) {
    return parseJsonTags(trimmed);
  }
  const tags: Record<string, string> = {};
  const pair = /\s*("(?:[^"\\]|\\.)*"|[^\s="]+)=("(?:[^"\\]|\\.)*"|[^\s"]*)(?=\s|$)/y;
  let at = 0;
  while (at < trimmed.length) {
    pair.lastIndex = at;
    const match = pair.exec(trimmed);
    if (match === null) {
      return { ok: false, message: complaint(trimmed.slice(at).trim()) };
    }
    const [, key, value] = match as unknown as [string, string, string];
    if (value === "") {
      return { ok: false, message: `${key}= has no value. For an empty one write ${key}=""` };
    }
    tags[unquote(key)] = unquote(value);
    at = pair.lastIndex;
  }
  return { ok: true, tags };
}

/** The inverse of `parseTagText`. Words get quotes only when needed. */
export function tagText(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(([key, value]) => `${quotedTag(key)}=${quotedTag(value)}`)
    .join(" ");
}

/** A key or a value, in quotes only when needed. */
export function quotedTag(word: string): string {
  return /^[^\s="{][^\s="]*$/.test(word)
    ? word
    : `"${word.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/** The text of a quoted word; other words are unchanged. */
function unquote(word: string): string {
  return word.startsWith('"')
    ? word.slice(1, -1).replace(/\\(.)/gs, (_, letter) => (letter === "n" ? "\n" : letter))
    : word;
}

/** Error message for text that begins with an unreadable pair, with the remedy. */
function complaint(rest: string): string {
  const word = rest.split(/\s/, 1)[0] ?? rest;
  if ((rest.match(/(?<!\\)"/g) ?? []).length % 2 === 1) {
    return `The quote that opens in ${word} does not close`;
  }
  if (!word.includes("=")) {
    return `${word} is not a tag. Write ${word}=value, with quotes around spaces`;
  }
  return `${word} is not key=value. Put quotes around spaces and equals signs`;
}

/** Tags of a JSON object, with values as text: `{"error": true}` gives `error=true`. */
function parseJsonTags(text: string): ParsedTags {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === "object") {
      return {
        ok: true,
        tags: Object.fromEntries(Object.entries(value).map(([key, item]) => [key, String(item)])),
      };
    }
  } catch {
    // The error message below covers this case.
  }
  return { ok: false, message: 'Not a JSON object such as {"error":"true"}' };
}
