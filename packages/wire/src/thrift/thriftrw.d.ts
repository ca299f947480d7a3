/** thriftrw has no types of its own: the small part of it that we use. */
declare module "thriftrw" {
  /** A type of the IDL; `ThriftStruct` when it has fields. */
  interface ThriftType {
    readonly name: string;
    /** As the binary protocol numbers types. */
    readonly typeid: number;
    readonly fields?: readonly ThriftField[];
    /** Of a list. */
    readonly valueType?: ThriftType;
  }

  interface ThriftField {
    readonly id: number;
    readonly name: string;
    readonly required: boolean;
    readonly valueType: ThriftType;
  }

  interface ThriftStruct extends ThriftType {
    readonly fields: readonly ThriftField[];
    toBuffer(value: unknown): Buffer;
  }

  class Thrift {
    constructor(options: {
      readonly entryPoint: string;
      readonly idls: Readonly<Record<string, string>>;
      readonly strict: boolean;
      readonly defaultAsUndefined: boolean;
    });
    readonly services: Readonly<Record<string, Readonly<Record<string, { readonly args: ThriftStruct }>>>>;
  }
}
