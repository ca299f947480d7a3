/**
 * A typed attribute value. The names are those of OTLP's `AnyValue`; Jaeger's five tag types are a part of them, where
 * `float64` is `double`, and `binary` is `bytes`.
 */
export type AttributeValue =
  | { readonly type: "empty" }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "bool"; readonly value: boolean }
  /** Signed 64-bit integer. */
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "array"; readonly value: readonly AttributeValue[] }
  | { readonly type: "kvlist"; readonly value: readonly Attribute[] }
  | { readonly type: "bytes"; readonly value: Uint8Array };

/** A key and its value. A list of attributes keeps its order and repeated keys. */
export interface Attribute {
  readonly key: string;
  readonly value: AttributeValue;
}

export type AttributeType = AttributeValue["type"];

/** Number of each type in the store (`Enum8`), which is also the field number in OTLP's `AnyValue`. */
export const attributeTypeCodes = {
  empty: 0,
  string: 1,
  bool: 2,
  int: 3,
  double: 4,
  array: 5,
  kvlist: 6,
  bytes: 7,
} as const satisfies Record<AttributeType, number>;

/**
 * Deepest nesting of arrays and kvlists; an array of plain values has depth 1. OTLP transcoders cut deeper values;
 * encoders and readers of rows refuse them with `WIRE_TOO_DEEP`. Protobuf libraries allow 100 nested messages by
 * default, so every value that they accept is within this limit.
 */
export const maxAttributeDepth = 100;
