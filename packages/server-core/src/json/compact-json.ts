const quote = 0x22;
const backslash = 0x5c;

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === backslash) {
      index++;
    } else if (code === quote) {
      return index + 1;
    }
  }
  return text.length;
}

/**
 * Removes the white space of a JSON text and keeps the order of keys. `<`, `>`, `&`, U+2028 and U+2029 are escaped as
 * `\uXXXX`, as in `encode-json.ts`. A regular expression is not used: its stack would overflow for a text of many
 * megabytes. @param text valid JSON
 */
export function compactJson(text: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === quote) {
      index = endOfString(text, index);
    } else if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      parts.push(text.slice(start, index));
      index++;
      start = index;
    } else {
      index++;
    }
  }
  parts.push(text.slice(start));
  return parts
    .join("")
    .replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
