/** Types of values in either protocol, by the numbers of the compact one. */
export const thriftTypes = {
  bool: 1,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  /** Bytes too. */
  string: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
  uuid: 13,
} as const;

export type ThriftType = (typeof thriftTypes)[keyof typeof thriftTypes];

/** A field of a struct as the IDL declares it. */
export interface ThriftField<Type extends ThriftType = ThriftType> {
  readonly id: number;
  /** As the IDL writes it: `service_name`. */
  readonly name: string;
  /** The member that holds its value in the generated type: `serviceName`. */
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

/** A struct as the IDL declares it. Writers take the ids and types of fields from it; readers check fields with it. */
export interface ThriftStruct {
  readonly name: string;
  /** Bit `1 << id` for each required field. */
  readonly requiredBits: number;
  /** By member, in the order of the IDL. */
  readonly fields: Readonly<Record<string, ThriftField>>;
}
