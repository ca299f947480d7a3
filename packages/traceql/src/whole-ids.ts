import type { FieldExpression, IntrinsicName, StaticExpression } from "./syntax-tree.ts";

/** Number of hex digits of each field with an id: 32 for a trace, 16 for a span. */
const digitsOf: Partial<Record<IntrinsicName, number>> = {
  "trace:id": 32,
  "span:id": 16,
  "span:parentID": 16,
  "link:traceID": 32,
  "link:spanID": 16,
};

/**
 * Completes the id in a text that is compared with an id field. People copy ids in upper case, without leading zeros,
 * or with the 16 digits that 64-bit clients print. Engines compare the complete form only. `span:id = "AB"` becomes
 * `span:id = "00000000000000ab"`. A text with too many digits stays unchanged, so that it matches nothing.
 * @param other the other side of the comparison
 * @returns the lower-case id with all digits; undefined if `other` is no id field, or the text is no id
 */
export function wholeId(other: FieldExpression, text: FieldExpression): StaticExpression | undefined {
  if (other.type !== "intrinsic" || text.type !== "static" || text.value.type !== "string") {
    return undefined;
  }
  const digits = digitsOf[other.name];
  if (digits === undefined || !/^[0-9a-f]+$/i.test(text.value.value)) {
    return undefined;
  }
  const value = text.value.value.toLowerCase().replace(/^0+/, "").padStart(digits, "0");
  return value.length === digits ? { type: "static", value: { type: "string", value } } : undefined;
}
