// The structs of idl/zipkincore.thrift as their reader gives them. The IDL requires nothing: numbers that were not sent
// are 0, strings empty; optional fields are undefined.

/** Types of a binary annotation's value, by number. */
export const zipkinAnnotationTypes = ["BOOL", "BYTES", "I16", "I32", "I64", "DOUBLE", "STRING"] as const;

export interface ZipkinCoreEndpoint {
  /** Big-endian and signed: 1.2.3.4 is 0x01020304. 0 for none. */
  readonly ipv4: number;
  /** Unsigned, though the IDL says i16. 0 for none. */
  readonly port: number;
  readonly serviceName: string;
  /** 16 bytes, if the sender kept to it. */
  readonly ipv6: Buffer | undefined;
}

export interface ZipkinCoreAnnotation {
  /** Microseconds since the Unix epoch. */
  readonly timestamp: bigint;
  readonly value: string;
  readonly host: ZipkinCoreEndpoint | undefined;
}

export interface ZipkinCoreBinaryAnnotation {
  readonly key: string;
  readonly value: Buffer;
  /** Index in `zipkinAnnotationTypes`; senders may give others. */
  readonly annotationType: number;
  readonly host: ZipkinCoreEndpoint | undefined;
}

export interface ZipkinCoreSpan {
  /** The low half. All ids are unsigned here. */
  readonly traceId: bigint;
  readonly traceIdHigh: bigint;
  readonly name: string;
  readonly id: bigint;
  readonly parentId: bigint | undefined;
  readonly annotations: readonly ZipkinCoreAnnotation[];
  readonly binaryAnnotations: readonly ZipkinCoreBinaryAnnotation[];
  readonly debug: boolean;
  /** Microseconds since the Unix epoch. */
  readonly timestamp: bigint | undefined;
  /** Microseconds. */
  readonly duration: bigint | undefined;
}
