/// <reference path="./apache-thrift.d.ts" />
import thrift, { type Protocol } from "thrift";

const { Int64, TBinaryProtocol, TBufferedTransport, TCompactProtocol } = thrift;

/** Type numbers in the interface of Apache's library, for every protocol. */
const types = { bool: 2, double: 4, i16: 6, i32: 8, i64: 10, string: 11, struct: 12, list: 15 } as const;
type Scalar = Exclude<keyof typeof types, "struct" | "list">;
type FieldType = Scalar | { readonly struct: Struct } | { readonly list: Struct };
type Struct = Readonly<Record<string, readonly [id: number, type: FieldType]>>;
/** Members of a struct by name; absent members are not written. An i64 may be a bigint, or 16 hex digits. */
export type ThriftValues = Readonly<Record<string, unknown>>;

// Structs of idl/tracing.thrift

const tag: Struct = {
  key: [1, "string"],
  vType: [2, "i32"],
  vStr: [3, "string"],
  vDouble: [4, "double"],
  vBool: [5, "bool"],
  vLong: [6, "i64"],
  vBinary: [7, "string"],
};
const log: Struct = { timestamp: [1, "i64"], fields: [2, { list: tag }] };
const spanRef: Struct = {
  refType: [1, "i32"],
  traceIdLow: [2, "i64"],
  traceIdHigh: [3, "i64"],
  spanId: [4, "i64"],
};
const span: Struct = {
  traceIdLow: [1, "i64"],
  traceIdHigh: [2, "i64"],
  spanId: [3, "i64"],
  parentSpanId: [4, "i64"],
  operationName: [5, "string"],
  references: [6, { list: spanRef }],
  flags: [7, "i32"],
  startTime: [8, "i64"],
  duration: [9, "i64"],
  tags: [10, { list: tag }],
  logs: [11, { list: log }],
};
const processStruct: Struct = { serviceName: [1, "string"], tags: [2, { list: tag }] };
const clientStats: Struct = {
  fullQueueDroppedSpans: [1, "i64"],
  tooLargeDroppedSpans: [2, "i64"],
  failedToEmitSpans: [3, "i64"],
};
const batch: Struct = {
  process: [1, { struct: processStruct }],
  spans: [2, { list: span }],
  seqNo: [3, "i64"],
  stats: [4, { struct: clientStats }],
};

// Structs of idl/zipkincore.thrift

const endpoint: Struct = {
  ipv4: [1, "i32"],
  port: [2, "i16"],
  service_name: [3, "string"],
  ipv6: [4, "string"],
};
const annotation: Struct = {
  timestamp: [1, "i64"],
  value: [2, "string"],
  host: [3, { struct: endpoint }],
};
const binaryAnnotation: Struct = {
  key: [1, "string"],
  value: [2, "string"],
  annotation_type: [3, "i32"],
  host: [4, { struct: endpoint }],
};
const zipkinSpan: Struct = {
  trace_id: [1, "i64"],
  name: [3, "string"],
  id: [4, "i64"],
  parent_id: [5, "i64"],
  annotations: [6, { list: annotation }],
  binary_annotations: [8, { list: binaryAnnotation }],
  debug: [9, "bool"],
  timestamp: [10, "i64"],
  duration: [11, "i64"],
  trace_id_high: [12, "i64"],
};

function i64Bytes(value: unknown): Buffer {
  if (typeof value === "string") {
    return Buffer.from(value, "hex");
  }
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value as bigint | number));
  return bytes;
}

function writeScalar(protocol: Protocol, type: Scalar, value: unknown): void {
  switch (type) {
    case "bool":
      protocol.writeBool(value as boolean);
      break;
    case "double":
      protocol.writeDouble(value as number);
      break;
    case "i16":
      protocol.writeI16(value as number);
      break;
    case "i32":
      protocol.writeI32(value as number);
      break;
    case "i64":
      protocol.writeI64(new Int64(i64Bytes(value)));
      break;
    case "string":
      protocol.writeString(value as string | Buffer);
  }
}

function writeList(protocol: Protocol, element: Struct, values: readonly ThriftValues[]): void {
  protocol.writeListBegin(types.struct, values.length);
  for (const value of values) {
    writeStruct(protocol, element, value);
  }
}

function writeStruct(protocol: Protocol, struct: Struct, values: ThriftValues): void {
  protocol.writeStructBegin("");
  for (const [name, [id, type]] of Object.entries(struct)) {
    const value = values[name];
    if (value === undefined) {
      continue;
    }
    if (typeof type === "string") {
      protocol.writeFieldBegin(name, types[type], id);
      writeScalar(protocol, type, value);
    } else if ("struct" in type) {
      protocol.writeFieldBegin(name, types.struct, id);
      writeStruct(protocol, type.struct, value as ThriftValues);
    } else {
      protocol.writeFieldBegin(name, types.list, id);
      writeList(protocol, type.list, value as readonly ThriftValues[]);
    }
  }
  protocol.writeFieldStop();
  protocol.writeStructEnd();
}

/** The encodings: the newer (strict) and the older form of binary, and compact. */
export type Encoding = "strict binary" | "old binary" | "compact";

function written(encoding: Encoding, write: (protocol: Protocol) => void): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  const transport = new TBufferedTransport(undefined, (flushed) => {
    bytes = flushed;
  });
  const isStrict = encoding === "strict binary";
  const protocol =
    encoding === "compact"
      ? new TCompactProtocol(transport)
      : new TBinaryProtocol(transport, isStrict, isStrict);
  write(protocol);
  protocol.flush();
  return bytes;
}

/**
 * A struct `Batch` in binary without an envelope, as clients post it to the collector. Apache's library writes the
 * bytes, not our code.
 */
export function thriftBatch(values: ThriftValues): Buffer {
  return written("strict binary", (protocol) => writeStruct(protocol, batch, values));
}

/** A list of Zipkin spans in binary without an envelope, as clients post it to Zipkin's port. */
export function zipkinThriftList(spans: readonly ThriftValues[]): Buffer {
  return written("strict binary", (protocol) => writeList(protocol, zipkinSpan, spans));
}

const oneway = 4;

function packet(
  method: string,
  encoding: Encoding,
  messageType: number,
  argument: Struct,
  values: ThriftValues,
) {
  return written(encoding, (protocol) => {
    protocol.writeMessageBegin(method, messageType, 1);
    writeStruct(protocol, argument, values);
  });
}

/** The message `Agent.emitBatch`. @param messageType 4 (ONEWAY) by default; some clients send 1 (CALL) */
export function emitBatch(values: ThriftValues, encoding: Encoding, messageType = oneway): Buffer {
  return packet("emitBatch", encoding, messageType, { batch: [1, { struct: batch }] }, { batch: values });
}

/** Makes a packet with the message `Agent.emitZipkinBatch`. */
export function emitZipkinBatch(spans: readonly ThriftValues[], encoding: Encoding): Buffer {
  return packet("emitZipkinBatch", encoding, oneway, { spans: [1, { list: zipkinSpan }] }, { spans });
}
