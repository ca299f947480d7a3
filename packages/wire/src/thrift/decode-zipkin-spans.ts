import { WireError } from "../errors.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { BinaryCursor } from "./binary-cursor.ts";
import { malformed, type ThriftCursor, thriftTypes } from "./thrift-cursor.ts";
import type {
  ZipkinCoreAnnotation,
  ZipkinCoreBinaryAnnotation,
  ZipkinCoreEndpoint,
  ZipkinCoreSpan,
} from "./zipkin-core-structs.ts";

/**
 * Most annotations, and most binary annotations, of one span. An empty one takes one byte of the message but a hundred of
 * memory.
 */
export const maxZipkinAnnotations = 65_536;

/**
 * Reads the arguments of `Agent.emitZipkinBatch`: a struct whose field 1 is the list of spans. Strings that are not
 * UTF-8 get U+FFFD in place of what is not.
 * @param cursor at the struct's first field, which is behind the envelope of the message
 * @param rejected gets the spans that are good Thrift and no good spans
 * @throws WireError WIRE_TRUNCATED, WIRE_TOO_DEEP; WIRE_MALFORMED, also when there is no list
 */
export function readZipkinBatchArguments(
  cursor: ThriftCursor,
  rejected = new RejectedSpans(),
): ZipkinCoreSpan[] {
  let spans: ZipkinCoreSpan[] | undefined;
  readFields(cursor, (id) => {
    if (id !== 1) return false;
    const count = cursor.structs("spans");
    spans = [];
    for (let index = 0; index < count; index++) {
      const span = readOrReject(cursor, index, rejected);
      if (span !== undefined) spans.push(span);
    }
    return true;
  });
  if (spans === undefined) throw malformed("emitZipkinBatch_args.spans is missing");
  return spans;
}

/**
 * Reads the spans of a bare list in the binary protocol, as HTTP carries it, one after the other; what follows the list
 * is ignored.
 * @param rejected as in `readZipkinBatchArguments`
 * @throws WireError as `readZipkinBatchArguments`, when it comes to the span that is wrong
 */
export function* readZipkinSpanList(
  message: Uint8Array,
  rejected = new RejectedSpans(),
): Generator<ZipkinCoreSpan> {
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
function readOrReject(
  cursor: ThriftCursor,
  index: number,
  rejected: RejectedSpans,
): ZipkinCoreSpan | undefined {
  const start = cursor.position;
  try {
    return readZipkinSpan(cursor);
  } catch (error) {
    cursor.passOverStruct(start, error);
    rejected.add("", () => `spans[${index}]`, error);
    return undefined;
  }
}

function readZipkinSpan(cursor: ThriftCursor): ZipkinCoreSpan {
  const span = {
    traceId: 0n,
    traceIdHigh: 0n,
    name: "",
    id: 0n,
    parentId: undefined as bigint | undefined,
    annotations: [] as ZipkinCoreAnnotation[],
    binaryAnnotations: [] as ZipkinCoreBinaryAnnotation[],
    debug: false,
    timestamp: undefined as bigint | undefined,
    duration: undefined as bigint | undefined,
  };
  readFields(cursor, (id) => {
    switch (id) {
      case 1:
        span.traceId = readId(cursor, "trace_id");
        return true;
      case 3:
        span.name = readString(cursor, "name");
        return true;
      case 4:
        span.id = readId(cursor, "id");
        return true;
      case 5:
        span.parentId = readId(cursor, "parent_id");
        return true;
      case 6:
        span.annotations = readList(cursor, "annotations", maxZipkinAnnotations, readAnnotation);
        return true;
      case 8:
        span.binaryAnnotations = readList(
          cursor,
          "binary_annotations",
          maxZipkinAnnotations,
          readBinaryAnnotation,
        );
        return true;
      case 9:
        cursor.expect(thriftTypes.bool, "debug");
        span.debug = cursor.bool();
        return true;
      case 10:
        span.timestamp = readInt64(cursor, "timestamp");
        return true;
      case 11:
        span.duration = readInt64(cursor, "duration");
        return true;
      case 12:
        span.traceIdHigh = readId(cursor, "trace_id_high");
        return true;
      default:
        return false;
    }
  });
  return span;
}

function readAnnotation(cursor: ThriftCursor): ZipkinCoreAnnotation {
  const annotation = { timestamp: 0n, value: "", host: undefined as ZipkinCoreEndpoint | undefined };
  readFields(cursor, (id) => {
    if (id === 1) annotation.timestamp = readInt64(cursor, "annotation.timestamp");
    else if (id === 2) annotation.value = readString(cursor, "annotation.value");
    else if (id === 3) annotation.host = readEndpoint(cursor);
    else return false;
    return true;
  });
  return annotation;
}

const noBytes = Buffer.alloc(0);

function readBinaryAnnotation(cursor: ThriftCursor): ZipkinCoreBinaryAnnotation {
  const annotation = {
    key: "",
    value: noBytes as Buffer,
    annotationType: 0,
    host: undefined as ZipkinCoreEndpoint | undefined,
  };
  readFields(cursor, (id) => {
    switch (id) {
      case 1:
        annotation.key = readString(cursor, "binary_annotation.key");
        return true;
      case 2:
        annotation.value = readBytes(cursor, "binary_annotation.value");
        return true;
      case 3:
        cursor.expect(thriftTypes.i32, "binary_annotation.annotation_type");
        annotation.annotationType = cursor.int32();
        return true;
      case 4:
        annotation.host = readEndpoint(cursor);
        return true;
      default:
        return false;
    }
  });
  return annotation;
}

function readEndpoint(cursor: ThriftCursor): ZipkinCoreEndpoint {
  cursor.expect(thriftTypes.struct, "host");
  const endpoint = { ipv4: 0, port: 0, serviceName: "", ipv6: undefined as Buffer | undefined };
  readFields(cursor, (id) => {
    switch (id) {
      case 1:
        cursor.expect(thriftTypes.i32, "host.ipv4");
        endpoint.ipv4 = cursor.int32();
        return true;
      case 2:
        cursor.expect(thriftTypes.i16, "host.port");
        endpoint.port = readInt16(cursor) & 0xffff;
        return true;
      case 3:
        endpoint.serviceName = readString(cursor, "host.service_name");
        return true;
      case 4:
        endpoint.ipv6 = readBytes(cursor, "host.ipv6");
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
  name: string,
  most: number,
  read: (cursor: ThriftCursor) => T,
): T[] {
  const count = cursor.structs(name);
  if (count > most) throw new WireError("WIRE_TOO_LARGE", `${name} are ${count}, more than ${most}`);
  const items: T[] = [];
  for (let index = 0; index < count; index++) items.push(read(cursor));
  return items;
}

function readString(cursor: ThriftCursor, name: string): string {
  cursor.expect(thriftTypes.string, name);
  cursor.string();
  return cursor.bytes.toString("utf8", cursor.start, cursor.stop);
}

/** A copy: the message's buffer may be used again. */
function readBytes(cursor: ThriftCursor, name: string): Buffer {
  cursor.expect(thriftTypes.string, name);
  cursor.string();
  return Buffer.from(cursor.bytes.subarray(cursor.start, cursor.stop));
}

function readId(cursor: ThriftCursor, name: string): bigint {
  return BigInt.asUintN(64, readInt64(cursor, name));
}

function readInt64(cursor: ThriftCursor, name: string): bigint {
  cursor.expect(thriftTypes.i64, name);
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
