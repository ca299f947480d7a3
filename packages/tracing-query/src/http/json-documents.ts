// Bytes of JSON's structure. In UTF-8 they never occur inside a longer character.
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [quote, backslash] = [0x22, 0x5c];

/**
 * Splits a body into its JSON documents, which are separated by white space, as in JSON lines. The OpenTelemetry
 * Collector's file exporter writes this form. Only an object or an array ends a document. Other text belongs to the
 * next document, whose parser then reports the fault.
 *
 * ```
 * {"a":1}\n[2]\n   →  {"a":1}   \n[2]
 * {"a":"}"} x      →  {"a":"}"}   ␣x
 * ```
 *
 * @returns at least one document; the buffers are slices of `body`, not copies
 */
export function jsonDocuments(body: Buffer): Buffer[] {
  const documents: Buffer[] = [];
  let start = 0;
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === quote) {
      at = endOfText(body, at);
    } else if (byte === openBrace || byte === openBracket) {
      depth++;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (--depth > 0) {
        continue;
      }
      depth = 0;
      documents.push(body.subarray(start, at + 1));
      start = at + 1;
    }
  }
  if (documents.length === 0 || !isBlank(body, start)) {
    documents.push(body.subarray(start));
  }
  return documents;
}

/** The index of a string's closing quote; beyond the end of the body for an unclosed string. */
function endOfText(body: Buffer, start: number): number {
  let end = start;
  for (;;) {
    end = body.indexOf(quote, end + 1);
    if (end === -1) {
      return body.length;
    }
    let escapes = 0;
    while (body[end - 1 - escapes] === backslash) {
      escapes++;
    }
    if (escapes % 2 === 0) {
      return end;
    }
  }
}

/** True when only JSON white space follows. */
function isBlank(body: Buffer, start: number): boolean {
  for (let at = start; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
      return false;
    }
  }
  return true;
}
