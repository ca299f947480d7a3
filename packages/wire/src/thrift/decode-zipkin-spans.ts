import { WireError } from "../errors.ts";
import { EmitZipkinBatchArguments } from "../gen/thrift/agent.ts";
import { Annotation, BinaryAnnotation, Endpoint, Span } from "../gen/thrift/zipkincore.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { BinaryCursor } from "./binary-cursor.ts";
import { malformed, type ThriftCursor } from "./thrift-cursor.ts";
import { type ThriftField, thriftTypes } from "./thrift-descriptors.ts";

/**
 * Most annotations, and most binary annotations, of one span. An empty one takes one byte of the message but a hundred of
 * memory.
 */
export const maxZipkinAnnotations = 65_536;

const { spans: spansField } = EmitZipkinBatchArguments.fields;
const { fields: spanFields } = Span;
const { fields: annotationFields } = Annotation;
const { fields: binaryFields } = BinaryAnnotation;
const { fields: endpointFields } = Endpoint;

/**
 * Reads the arguments of `Agent.emitZipkinBatch`: a struct that holds the list of spans. Strings that are not
 * UTF-8 get U+FFFD in place of what is not.
 * @param cursor at the struct's first field, which is behind the envelope of the message
 * @param rejected gets the spans that are good Thrift and no good spans
 * @throws WireError WIRE_TRUNCATED, WIRE_TOO_DEEP; WIRE_MALFORMED, also when there is no list
 */
export function readZipkinBatchArguments(cursor: ThriftCursor, rejected = new RejectedSpans()): Span[] {
  let spans: Span[] | undefined;
  readFields(cursor, (id) => {
    if (id !== spansField.id) return false;
    const count = cursor.structs(spansField);
    spans = [];
    for (let index = 0; index < count; index++) {
      const span = readOrReject(cursor, index, rejected);
      if (span !== undefined) spans.push(span);
    }
    return true;
  });
  if (spans === undefined) throw malformed(`${spansField.label} is missing`);
  return spans;
}

/**
 * Reads the spans of a bare list in the binary protocol, as HTTP carries it, one after the other; what follows the list
 * is ignored.
 * @param rejected as in `readZipkinBatchArguments`
 * @throws WireError as `readZipkinBatchArguments`, when it comes to the span that is wrong
 */
export function* readZipkinSpanList(message: Uint8Array, rejected = new RejectedSpans()): Generator<Span> {
  const cursor = new BinaryCursor();
  cursor.open(message);
  cursor.list();
  if (cursor.count > 0 && cursor.elementType !== thriftTypes.struct) {
    throw malformed("the message is a list of something else than spans");
  }
  const { count } = cursor;
  for (let index = 0; index < count; index++) {
    const span = readOrReject(cursor, index, rejected);
    if (span !== undefined) yield span;
  }
}

/** @returns undefined for a span that is rejected */
function readOrReject(cursor: ThriftCursor, index: number, rejected: RejectedSpans): Span | undefined {
  const start = cursor.position;
  try {
    return readZipkinSpan(cursor);
  } catch (error) {
    cursor.passOverStruct(start, error);
    rejected.add("", () => `spans[${index}]`, error);
    return undefined;
  }
}

function readZipkinSpan(cursor: ThriftCursor): Span {
  const span = {
    traceId: 0n,
    traceIdHigh: undefined as bigint | undefined,
    name: "",
    id: 0n,
    parentId: undefined as bigint | undefined,
    annotations: [] as Annotation[],
    binaryAnnotations: [] as BinaryAnnotation[],
    debug: undefined as boolean | undefined,
    timestamp: undefined as bigint | undefined,
    duration: undefined as bigint | undefined,
  };
  readFields(cursor, (id) => {
    switch (id) {
      case spanFields.traceId.id:
        span.traceId = readId(cursor, spanFields.traceId);
        return true;
      case spanFields.name.id:
        span.name = readString(cursor, spanFields.name);
        return true;
      case spanFields.id.id:
        span.id = readId(cursor, spanFields.id);
        return true;
      case spanFields.parentId.id:
        span.parentId = readId(cursor, spanFields.parentId);
        return true;
      case spanFields.annotations.id:
        span.annotations = readList(cursor, spanFields.annotations, maxZipkinAnnotations, readAnnotation);
        return true;
      case spanFields.binaryAnnotations.id:
        span.binaryAnnotations = readList(
          cursor,
          spanFields.binaryAnnotations,
          maxZipkinAnnotations,
          readBinaryAnnotation,
        );
        return true;
      case spanFields.debug.id:
        cursor.expect(thriftTypes.bool, spanFields.debug);
        span.debug = cursor.bool();
        return true;
      case spanFields.timestamp.id:
        span.timestamp = readInt64(cursor, spanFields.timestamp);
        return true;
      case spanFields.duration.id:
        span.duration = readInt64(cursor, spanFields.duration);
        return true;
      case spanFields.traceIdHigh.id:
        span.traceIdHigh = readId(cursor, spanFields.traceIdHigh);
        return true;
      default:
        return false;
    }
  });
  return span;
}

function readAnnotation(cursor: ThriftCursor): Annotation {
  const annotation = { timestamp: 0n, value: "", host: undefined as Endpoint | undefined };
  readFields(cursor, (id) => {
    if (id === annotationFields.timestamp.id)
      annotation.timestamp = readInt64(cursor, annotationFields.timestamp);
    else if (id === annotationFields.value.id) annotation.value = readString(cursor, annotationFields.value);
    else if (id === annotationFields.host.id) annotation.host = readEndpoint(cursor, annotationFields.host);
    else return false;
    return true;
  });
  return annotation;
}

const noBytes = Buffer.alloc(0);

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
        annotation.key = readString(cursor, binaryFields.key);
        return true;
      case binaryFields.value.id:
        annotation.value = readBytes(cursor, binaryFields.value);
        return true;
      case binaryFields.annotationType.id:
        cursor.expect(thriftTypes.i32, binaryFields.annotationType);
        annotation.annotationType = cursor.int32();
        return true;
      case binaryFields.host.id:
        annotation.host = readEndpoint(cursor, binaryFields.host);
        return true;
      default:
        return false;
    }
  });
  return annotation;
}

function readEndpoint(cursor: ThriftCursor, field: ThriftField<typeof thriftTypes.struct>): Endpoint {
  cursor.expect(thriftTypes.struct, field);
  const endpoint = { ipv4: 0, port: 0, serviceName: "", ipv6: undefined as Buffer | undefined };
  readFields(cursor, (id) => {
    switch (id) {
      case endpointFields.ipv4.id:
        cursor.expect(thriftTypes.i32, endpointFields.ipv4);
        endpoint.ipv4 = cursor.int32();
        return true;
      case endpointFields.port.id:
        cursor.expect(thriftTypes.i16, endpointFields.port);
        endpoint.port = readInt16(cursor) & 0xffff;
        return true;
      case endpointFields.serviceName.id:
        endpoint.serviceName = readString(cursor, endpointFields.serviceName);
        return true;
      case endpointFields.ipv6.id:
        endpoint.ipv6 = readBytes(cursor, endpointFields.ipv6);
        return true;
      default:
        return false;
    }
  });
  return endpoint;
}

/** Reads a struct; `read` returns false for a field that it does not know, having read nothing. */
function readFields(cursor: ThriftCursor, read: (id: number) => boolean): void {
  let id = 0;
  while (cursor.field(id)) {
    id = cursor.fieldId;
    if (!read(id)) cursor.skipField();
  }
}

function readList<T>(
  cursor: ThriftCursor,
  field: ThriftField<typeof thriftTypes.list>,
  most: number,
  read: (cursor: ThriftCursor) => T,
): T[] {
  const count = cursor.structs(field);
  if (count > most) {
    throw new WireError("WIRE_TOO_LARGE", `${field.label} are ${count}, more than ${most}`);
  }
  const items: T[] = [];
  for (let index = 0; index < count; index++) items.push(read(cursor));
  return items;
}

function readString(cursor: ThriftCursor, field: ThriftField<typeof thriftTypes.string>): string {
  cursor.expect(thriftTypes.string, field);
  cursor.string();
  return cursor.bytes.toString("utf8", cursor.start, cursor.stop);
}

/** A copy: the message's buffer may be used again. */
function readBytes(cursor: ThriftCursor, field: ThriftField<typeof thriftTypes.string>): Buffer {
  cursor.expect(thriftTypes.string, field);
  cursor.string();
  return Buffer.from(cursor.bytes.subarray(cursor.start, cursor.stop));
}

function readId(cursor: ThriftCursor, field: ThriftField<typeof thriftTypes.i64>): bigint {
  return BigInt.asUintN(64, readInt64(cursor, field));
}

function readInt64(cursor: ThriftCursor, field: ThriftField<typeof thriftTypes.i64>): bigint {
  cursor.expect(thriftTypes.i64, field);
  cursor.int64();
  return (BigInt(cursor.high | 0) << 32n) | BigInt(cursor.low >>> 0);
}

/** Only Zipkin's structs have numbers of 16 bits, which the compact protocol writes like those of 32. */
function readInt16(cursor: ThriftCursor): number {
  if (!(cursor instanceof BinaryCursor)) return cursor.int32();
  const at = cursor.position;
  cursor.skip(thriftTypes.i16);
  return cursor.view.getInt16(at);
}
