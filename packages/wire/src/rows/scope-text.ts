import { WireError } from "../errors.ts";
import type { SpanRowReader } from "./span-row-reader.ts";

// The fields that spans share, without the resource's attributes, are one byte string, so that they need one column. It
// has name, version and schema URL of the scope, and the schema URL of the resource, in UTF-8, separated by a mark.

/** Mark between two texts. */
export const textMark = 0xff;

export interface ScopeTexts {
  readonly name: string;
  readonly version: string;
  readonly schemaUrl: string;
  readonly resourceSchemaUrl: string;
}

/** @throws WireError WIRE_MALFORMED for any number of texts but four */
export function readScopeText(reader: SpanRowReader): ScopeTexts {
  const start = reader.skipString();
  const end = reader.position;
  const texts: string[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && reader.bytes[at] !== textMark) {
      continue;
    }
    texts.push(reader.repeatedText(from, at));
    from = at + 1;
  }
  if (texts.length !== 4) {
    throw new WireError("WIRE_MALFORMED", `what stands at byte ${start} of the rows is no text of a scope`);
  }
  const [name, version, schemaUrl, resourceSchemaUrl] = texts as [string, string, string, string];
  return { name, version, schemaUrl, resourceSchemaUrl };
}
