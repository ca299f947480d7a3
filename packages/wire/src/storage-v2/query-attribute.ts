import { KeyValue } from "../gen/opentelemetry/proto/common/v1/common.ts";
import type { AttributeValue } from "../model/attribute.ts";
import { readKeyValue } from "../otlp/any-value.ts";
import { ProtoCursor } from "../otlp/proto-cursor.ts";
import { attributeText } from "../rows/attribute-text.ts";

/** An attribute of a search with its value as text, in the form of the store's tag searches. */
export function textOfAttribute(attribute: KeyValue): { readonly key: string; readonly text: string } {
  const cursor = new ProtoCursor();
  const bytes = KeyValue.encode(attribute).finish();
  cursor.open(bytes);
  const { key, value } = readKeyValue(cursor, bytes.length);
  return { key, text: attributeText(value satisfies AttributeValue) };
}

/** The attribute of a search for a text. Typed values are not sent: stores compare the texts of their values. */
export function stringAttribute(key: string, value: string): KeyValue {
  return { key, value: { value: { $case: "stringValue", value } } };
}
