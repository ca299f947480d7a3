import { cityHash64 } from "wire/city-hash/city-hash-64";
import type { AttributeType } from "wire/model";
import { attributeTypeLetters } from "wire/rows/attribute-list";

// The hashes of attributes in the indexes of `spans`. Statements contain them as numbers, which ClickHouse
// plans faster than expressions.

/** Hash of an attribute in `attribute_text`, `resource_text` or `event_text`: `cityHash64(element)`. */
export function elementHash(key: string, type: AttributeType, text: string): bigint {
  const value = Buffer.from(attributeTypeLetters[type] + text);
  return cityHash64(Buffer.concat([Buffer.from(key), Buffer.of(0xfe), value]));
}
