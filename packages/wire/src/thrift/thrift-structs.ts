// The structs of idl/tracing.thrift as both readers give them. Optional fields that were not sent are undefined.

/** A signed 64-bit integer in two halves of 32 bits: ids need no arithmetic, and a bigint for each would cost. */
export interface I64 {
  readonly high: number;
  readonly low: number;
}

/** By number. */
export const tagTypes = ["STRING", "DOUBLE", "BOOL", "LONG", "BINARY"] as const;

export interface ThriftTag {
  readonly key: string;
  /** Index in `tagTypes`; a newer client may send a number past its end. */
  readonly vType: number;
  readonly vStr?: string | undefined;
  readonly vDouble?: number | undefined;
  readonly vBool?: boolean | undefined;
  readonly vLong?: I64 | undefined;
  readonly vBinary?: Buffer | undefined;
}

export interface ThriftLog {
  /** Microseconds since the Unix epoch. */
  readonly timestamp: I64;
  readonly fields: readonly ThriftTag[];
}

export interface ThriftSpanRef {
  /** 0 is CHILD_OF, 1 is FOLLOWS_FROM. */
  readonly refType: number;
  readonly traceIdLow: I64;
  readonly traceIdHigh: I64;
  readonly spanId: I64;
}

export interface ThriftSpan {
  readonly traceIdLow: I64;
  readonly traceIdHigh: I64;
  readonly spanId: I64;
  /** 0 for a root span. */
  readonly parentSpanId: I64;
  readonly operationName: string;
  readonly references?: readonly ThriftSpanRef[] | undefined;
  readonly flags: number;
  /** Microseconds since the Unix epoch. */
  readonly startTime: I64;
  /** Microseconds. */
  readonly duration: I64;
  readonly tags?: readonly ThriftTag[] | undefined;
  readonly logs?: readonly ThriftLog[] | undefined;
}

export interface ThriftProcess {
  readonly serviceName: string;
  readonly tags?: readonly ThriftTag[] | undefined;
}

/** What a client lost before it could send, since it started. */
export interface ThriftClientStats {
  readonly fullQueueDroppedSpans: I64;
  readonly tooLargeDroppedSpans: I64;
  readonly failedToEmitSpans: I64;
}

export interface ThriftBatch {
  readonly process: ThriftProcess;
  readonly spans: readonly ThriftSpan[];
  readonly seqNo?: I64 | undefined;
  readonly stats?: ThriftClientStats | undefined;
}
