import { WireError } from "../errors.ts";
import { EmitZipkinBatchArguments } from "../gen/thrift/agent.ts";
import { Annotation, BinaryAnnotation, Endpoint, Span } from "../gen/thrift/zipkincore.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { BinaryCursor } from "./binary-cursor.ts";
import { malformed, type ThriftCursor } from "./thrift-cursor.ts";
import { type ThriftField, thriftTypes } from "./thrift-descriptors.ts";

/**
 * Maximum number of annotations, and binary annotations, that one span may have. An empty annotation has one byte in
 * the message, but needs a hundred bytes of memory.
 */
export const maxZipkinAnnotations = 65_536;

const { spans: spansField } = EmitZipkinBatchArguments.fields;
const { fields: spanFields } = Span;
const { fields: annotationFields } = Annotation;
const { fields: binaryFields } = BinaryAnnotation;
const { fields: endpointFields } = Endpoint;

/**
 * Reads the arguments of `Agent.emitZipkinBatch`: a struct with the list of spans. In strings, bytes that are not UTF-8
 * become U+FFFD.
 * @param cursor cursor at the struct's first field, after the envelope of the message
 * @param rejected receives spans that are valid Thrift but invalid spans
 * @throws WireError WIRE_TRUNCATED, WIRE_TOO_DEEP; WIRE_MALFORMED, for example if the list is missing
 */
export function readZipkinBatchArguments(cursor: ThriftCursor, rejected = new RejectedSpans()): Span[] {
  const [spans, others] = cursor.readEitherWay(
    () => readBatch(cursor),
    ([, { count }]) => count,
  );
  rejected.addAll(others);
  return spans;
}

/** Reads the struct of arguments; other fields are skipped. @throws WireError WIRE_MALFORMED without the list */
function readBatch(cursor: ThriftCursor): [spans: Span[], rejected: RejectedSpans] {
  const rejected = new RejectedSpans();
  let spans: Span[] | undefined;
  readFields(cursor, (id) => {
    if (id !== spansField.id) {
      cursor.skipField();
    } else if (cursor.has(thriftTypes.list, spansField)) {
      spans = readSpans(cursor, cursor.spans(spansField.label), rejected);
    }
  });
  if (spans === undefined) {
    throw malformed(`${spansField.label} is missing`);
  }
  return [spans, rejected];
}

/**
 * Reads a list of spans without an envelope in the binary protocol, as HTTP requests contain it. Bytes after the list
 * are ignored. The caller must use `readEitherWay`.
 * @param cursor positioned at the start of the list
 * @param rejected as in `readZipkinBatchArguments`
 * @throws WireError as `readZipkinBatchArguments`, when the generator reaches the invalid span
 */
export function* readZipkinSpanList(cursor: BinaryCursor, rejected = new RejectedSpans()): Generator<Span> {
  const count = cursor.spans("the message");
  for (let index = 0; index < count; index++) {
    const span = readOrReject(cursor, index, rejected);
    if (span !== undefined) {
      yield span;
    }
  }
}

/** Like `readZipkinSpanList`, but returns an array, because a packet has few spans. */
function readSpans(cursor: ThriftCursor, count: number, rejected: RejectedSpans): Span[] {
  const spans: Span[] = [];
  for (let index = 0; index < count; index++) {
    const span = readOrReject(cursor, index, rejected);
    if (span !== undefined) {
      spans.push(span);
    }
  }
  return spans;
}

/** @returns undefined for a span that is rejected */
function readOrReject(cursor: ThriftCursor, index: number, rejected: RejectedSpans): Span | undefined {
  const start = cursor.position;
  try {
    return readZipkinSpan(cursor);
  } catch (error) {
    cursor.passOverStruct(start, error, Span);
    rejected.add("", () => `spans[${index}]`, error);
    return undefined;
  }
}

/** A span while its fields are read. */
type UnreadSpan = { -readonly [Field in keyof Span]: Span[Field] };

/** Reads one struct `Span`. Absent numbers are 0 or undefined; fields of a wrong type are skipped. */
function readZipkinSpan(cursor: ThriftCursor): Span {
  const span: UnreadSpan = {
    traceId: 0n,
    traceIdHigh: undefined,
    name: "",
    id: 0n,
    parentId: undefined,
    annotations: [],
    binaryAnnotations: [],
    debug: undefined,
    timestamp: undefined,
    duration: undefined,
  };
  readFields(cursor, (id) => {
    switch (id) {
      case spanFields.name.id:
        if (cursor.has(thriftTypes.string, spanFields.name)) {
          span.name = readString(cursor);
        }
        break;
      case spanFields.annotations.id:
        if (cursor.has(thriftTypes.list, spanFields.annotations)) {
          span.annotations = readList(cursor, spanFields.annotations, maxZipkinAnnotations, readAnnotation);
        }
        break;
      case spanFields.binaryAnnotations.id: {
        const field = spanFields.binaryAnnotations;
        if (cursor.has(thriftTypes.list, field)) {
          span.binaryAnnotations = readList(cursor, field, maxZipkinAnnotations, readBinaryAnnotation);
        }
        break;
      }
      case spanFields.debug.id:
        if (cursor.has(thriftTypes.bool, spanFields.debug)) {
          span.debug = cursor.bool();
        }
        break;
      default:
        readNumber(cursor, id, span);
    }
  });
  return span;
}

/** Reads an id or a time of a span. A field with any other id is skipped. */
function readNumber(cursor: ThriftCursor, id: number, span: UnreadSpan): void {
  switch (id) {
    case spanFields.traceId.id:
      if (cursor.has(thriftTypes.i64, spanFields.traceId)) {
        span.traceId = readId(cursor);
      }
      break;
    case spanFields.id.id:
      if (cursor.has(thriftTypes.i64, spanFields.id)) {
        span.id = readId(cursor);
      }
      break;
    case spanFields.parentId.id:
      if (cursor.has(thriftTypes.i64, spanFields.parentId)) {
        span.parentId = readId(cursor);
      }
      break;
    case spanFields.timestamp.id:
      if (cursor.has(thriftTypes.i64, spanFields.timestamp)) {
        span.timestamp = readInt64(cursor);
      }
      break;
    case spanFields.duration.id:
      if (cursor.has(thriftTypes.i64, spanFields.duration)) {
        span.duration = readInt64(cursor);
      }
      break;
    case spanFields.traceIdHigh.id:
      if (cursor.has(thriftTypes.i64, spanFields.traceIdHigh)) {
        span.traceIdHigh = readId(cursor);
      }
      break;
    default:
      cursor.skipField();
  }
}

/** Reads a time in microseconds, a text, and the host that recorded the annotation. */
function readAnnotation(cursor: ThriftCursor): Annotation {
  const annotation = { timestamp: 0n, value: "", host: undefined as Endpoint | undefined };
  readFields(cursor, (id) => {
    switch (id) {
      case annotationFields.timestamp.id:
        if (cursor.has(thriftTypes.i64, annotationFields.timestamp)) {
          annotation.timestamp = readInt64(cursor);
        }
        break;
      case annotationFields.value.id:
        if (cursor.has(thriftTypes.string, annotationFields.value)) {
          annotation.value = readString(cursor);
        }
        break;
      case annotationFields.host.id:
        if (cursor.has(thriftTypes.struct, annotationFields.host)) {
          annotation.host = readEndpoint(cursor);
        }
        break;
      default:
        cursor.skipField();
    }
  });
  return annotation;
}

const noBytes = Buffer.alloc(0);

/** Reads a key with a value of `annotationType`. The bytes of the value are not decoded here, but in `typedTag`. */
function readBinaryAnnotation(cursor: ThriftCursor): BinaryAnnotation {
  const annotation = {
    key: "",
    value: noBytes as Buffer,
    annotationType: 0,
    host: undefined as Endpoint | undefined,
  };
  readFields(cursor, (id) => {
    switch (id) {
      case binaryFields.key.id:
        if (cursor.has(thriftTypes.string, binaryFields.key)) {
          annotation.key = readString(cursor);
        }
        break;
      case binaryFields.value.id:
        if (cursor.has(thriftTypes.string, binaryFields.value)) {
          annotation.value = readBytes(cursor);
        }
        break;
      case binaryFields.annotationType.id:
        if (cursor.has(thriftTypes.i32, binaryFields.annotationType)) {
          annotation.annotationType = cursor.int32();
        }
        break;
      case binaryFields.host.id:
        if (cursor.has(thriftTypes.struct, binaryFields.host)) {
          annotation.host = readEndpoint(cursor);
        }
        break;
      default:
        cursor.skipField();
    }
  });
  return annotation;
}

/** Reads an endpoint. A port is signed in Thrift: 65535 is sent as -1. */
function readEndpoint(cursor: ThriftCursor): Endpoint {
  const endpoint = { ipv4: 0, port: 0, serviceName: "", ipv6: undefined as Buffer | undefined };
  readFields(cursor, (id) => {
    switch (id) {
      case endpointFields.ipv4.id:
        if (cursor.has(thriftTypes.i32, endpointFields.ipv4)) {
          endpoint.ipv4 = cursor.int32();
        }
        break;
      case endpointFields.port.id:
        if (cursor.has(thriftTypes.i16, endpointFields.port)) {
          endpoint.port = readInt16(cursor) & 0xffff;
        }
        break;
      case endpointFields.serviceName.id:
        if (cursor.has(thriftTypes.string, endpointFields.serviceName)) {
          endpoint.serviceName = readString(cursor);
        }
        break;
      case endpointFields.ipv6.id:
        if (cursor.has(thriftTypes.string, endpointFields.ipv6)) {
          endpoint.ipv6 = readBytes(cursor);
        }
        break;
      default:
        cursor.skipField();
    }
  });
  return endpoint;
}

/**
 * Reads the fields of a struct up to its end.
 * @param read must read or skip the value of the field with this id
 */
function readFields(cursor: ThriftCursor, read: (id: number) => void): void {
  let id = 0;
  while (cursor.field(id)) {
    id = cursor.fieldId;
    read(id);
  }
}

/** Reads a list of structs. @throws WireError WIRE_TOO_LARGE for more than `most` structs, before the first is read */
function readList<T>(
  cursor: ThriftCursor,
  field: ThriftField<typeof thriftTypes.list>,
  most: number,
  read: (cursor: ThriftCursor) => T,
): T[] {
  const count = cursor.structs();
  if (count > most) {
    throw new WireError("WIRE_TOO_LARGE", `${field.label} are ${count}, more than ${most}`);
  }
  const items: T[] = [];
  for (let index = 0; index < count; index++) {
    items.push(read(cursor));
  }
  return items;
}

function readString(cursor: ThriftCursor): string {
  cursor.string();
  return cursor.bytes.toString("utf8", cursor.start, cursor.stop);
}

/** The bytes are copied, because the message's buffer may be reused. */
function readBytes(cursor: ThriftCursor): Buffer {
  cursor.string();
  return Buffer.from(cursor.bytes.subarray(cursor.start, cursor.stop));
}

/** Reads an id, which is unsigned in our model and signed in Thrift. */
function readId(cursor: ThriftCursor): bigint {
  return BigInt.asUintN(64, readInt64(cursor));
}

function readInt64(cursor: ThriftCursor): bigint {
  cursor.int64();
  return (BigInt(cursor.high | 0) << 32n) | BigInt(cursor.low >>> 0);
}

/**
 * Reads a 16-bit number, which only Zipkin's structs have. The compact protocol has the same encoding for it as for a
 * 32-bit number.
 */
function readInt16(cursor: ThriftCursor): number {
  if (!(cursor instanceof BinaryCursor)) {
    return cursor.int32();
  }
  const at = cursor.position;
  cursor.skip(thriftTypes.i16);
  return cursor.view.getInt16(at);
}
