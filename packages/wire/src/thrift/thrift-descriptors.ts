/** Types of values in both protocols, with the numbers of the compact protocol. */
export const thriftTypes = {
  bool: 1,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  /** The type of strings and of bytes. */
  string: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
  uuid: 13,
} as const;

export type ThriftType = (typeof thriftTypes)[keyof typeof thriftTypes];

/** A field of a struct in the IDL. */
export interface ThriftField<Type extends ThriftType = ThriftType> {
  readonly id: number;
  /** Name in the IDL: `service_name`. */
  readonly name: string;
  /** Member of the generated type with the value: `serviceName`. */
  readonly member: string;
  /** Struct and field, for error texts: `Endpoint.service_name`. */
  readonly label: string;
  readonly type: Type;
  readonly isRequired: boolean;
  /** A `binary`, which has the type `string` on the wire. */
  readonly isBinary?: boolean;
  /** Type of a list's elements. */
  readonly elementType?: ThriftType;
  /** For a field with a struct, or a list of structs. */
  readonly struct?: ThriftStruct;
}

/** A struct in the IDL. Writers use its ids and types; readers compare fields with it. */
export interface ThriftStruct {
  readonly name: string;
  /** A number with bit `1 << id` for each required field. */
  readonly requiredBits: number;
  /** Fields by member, in the order of the IDL. */
  readonly fields: Readonly<Record<string, ThriftField>>;
}
