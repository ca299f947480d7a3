// For tests: Zipkin spans in Thrift. Apache's library writes them, so they are independent of our readers.
import thrift, { type Protocol } from "thrift";
import type {
  Annotation as ZipkinCoreAnnotation,
  BinaryAnnotation as ZipkinCoreBinaryAnnotation,
  Endpoint as ZipkinCoreEndpoint,
  Span as ZipkinCoreSpan,
} from "../gen/thrift/zipkincore.ts";

declare module "thrift" {
  interface Protocol {
    writeI16(value: number): void;
  }
}

const { Int64, TBinaryProtocol, TBufferedTransport, TCompactProtocol } = thrift;
/**
 * Type numbers in Apache's library. They equal the numbers of the binary protocol; for the compact protocol the library
 * translates them.
 */
const types = { bool: 2, i16: 6, i32: 8, i64: 10, string: 11, struct: 12, list: 15 } as const;
/** Message type of calls without an answer. */
const oneway = 4;

/** The list without an envelope, in the binary protocol, as `POST /api/v1/spans` expects it. */
export function zipkinSpanList(spans: readonly ZipkinCoreSpan[]): Buffer {
  return written("binary", (protocol) => writeList(protocol, spans, writeSpan));
}

/** The message `Agent.emitZipkinBatch`, as the agent expects it. */
export function zipkinPacket(spans: readonly ZipkinCoreSpan[], protocol: "compact" | "binary"): Buffer {
  return written(protocol, (out) => {
    out.writeMessageBegin("emitZipkinBatch", oneway, 0);
    writeStruct(out, () => writeField(out, types.list, 1, () => writeList(out, spans, writeSpan)));
  });
}

/** Runs `write` on a protocol of Apache's library and returns the resulting bytes. */
function written(name: "compact" | "binary", write: (protocol: Protocol) => void): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  const transport = new TBufferedTransport(undefined, (flushed) => {
    bytes = flushed;
  });
  const protocol =
    name === "compact" ? new TCompactProtocol(transport) : new TBinaryProtocol(transport, true, true);
  write(protocol);
  protocol.flush();
  return bytes;
}

/** Writes the struct `Span`. Undefined fields are omitted, as clients do. */
function writeSpan(out: Protocol, span: ZipkinCoreSpan): void {
  writeStruct(out, () => {
    writeInt64(out, 1, span.traceId);
    writeText(out, 3, span.name);
    writeInt64(out, 4, span.id);
    if (span.parentId !== undefined) {
      writeInt64(out, 5, span.parentId);
    }
    writeField(out, types.list, 6, () => writeList(out, span.annotations, writeAnnotation));
    writeField(out, types.list, 8, () => writeList(out, span.binaryAnnotations, writeBinaryAnnotation));
    const { debug } = span;
    if (debug !== undefined) {
      writeField(out, types.bool, 9, () => out.writeBool(debug));
    }
    if (span.timestamp !== undefined) {
      writeInt64(out, 10, span.timestamp);
    }
    if (span.duration !== undefined) {
      writeInt64(out, 11, span.duration);
    }
    if (span.traceIdHigh !== undefined) {
      writeInt64(out, 12, span.traceIdHigh);
    }
  });
}

function writeAnnotation(out: Protocol, { timestamp, value, host }: ZipkinCoreAnnotation): void {
  writeStruct(out, () => {
    writeInt64(out, 1, timestamp);
    writeText(out, 2, value);
    writeHost(out, 3, host);
  });
}

function writeBinaryAnnotation(out: Protocol, annotation: ZipkinCoreBinaryAnnotation): void {
  writeStruct(out, () => {
    writeText(out, 1, annotation.key);
    writeText(out, 2, annotation.value);
    writeField(out, types.i32, 3, () => out.writeI32(annotation.annotationType));
    writeHost(out, 4, annotation.host);
  });
}

/**
 * Writes field `id` with a struct `Endpoint`. A port above 32,767 becomes negative: Thrift has no unsigned 16-bit
 * numbers.
 */
function writeHost(out: Protocol, id: number, host: ZipkinCoreEndpoint | undefined): void {
  if (host === undefined) {
    return;
  }
  const { ipv4, port, serviceName, ipv6 } = host;
  writeField(out, types.struct, id, () =>
    writeStruct(out, () => {
      writeField(out, types.i32, 1, () => out.writeI32(ipv4));
      writeField(out, types.i16, 2, () => out.writeI16((port << 16) >> 16));
      writeText(out, 3, serviceName);
      if (ipv6 !== undefined) {
        writeText(out, 4, ipv6);
      }
    }),
  );
}

function writeStruct(out: Protocol, fields: () => void): void {
  out.writeStructBegin("");
  fields();
  out.writeFieldStop();
  out.writeStructEnd();
}

function writeField(out: Protocol, type: number, id: number, value: () => void): void {
  out.writeFieldBegin("", type, id);
  value();
}

function writeText(out: Protocol, id: number, value: string | Buffer): void {
  writeField(out, types.string, id, () => out.writeString(value));
}

/** Writes field `id` with a 64-bit number; ids with the highest bit set become negative. */
function writeInt64(out: Protocol, id: number, value: bigint): void {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  writeField(out, types.i64, id, () => out.writeI64(new Int64(bytes)));
}

function writeList<T>(out: Protocol, items: readonly T[], write: (out: Protocol, item: T) => void): void {
  out.writeListBegin(types.struct, items.length);
  for (const item of items) {
    write(out, item);
  }
}
