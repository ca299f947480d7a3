import { WireError } from "../errors.ts";
import {
  AnnotationType,
  type BinaryAnnotation as ZipkinCoreBinaryAnnotation,
  type Endpoint as ZipkinCoreEndpoint,
  type Span as ZipkinCoreSpan,
} from "../gen/thrift/zipkincore.ts";
import type { AttributeValue } from "../model/attribute.ts";
import type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "../rows/message-transcoder.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { SpanRowWriter } from "../rows/span-row-writer.ts";
import { BinaryCursor } from "../thrift/binary-cursor.ts";
import { readZipkinSpanList } from "../thrift/decode-zipkin-spans.ts";
import { ipText } from "./ip-text.ts";
import { type ZipkinV1Endpoint, type ZipkinV1Span, ZipkinV1SpanConverter } from "./zipkin-v1-span.ts";

/**
 * Converts Zipkin v1 Thrift to rows: a list of `zipkincore.Span` without an envelope, in the binary protocol. As in
 * Jaeger, numbers of binary annotations are unsigned, and bytes become base64. Bytes after the list are ignored.
 * An invalid span is rejected, and the other spans are kept.
 *
 * Source: idl/zipkincore.thrift; opentelemetry-collector-contrib pkg/translator/zipkin/zipkinv1 0.111.
 */
export class ZipkinV1ThriftTranscoder implements MessageTranscoder {
  readonly #writer: SpanRowWriter;

  constructor(options: TranscoderOptions = {}) {
    this.#writer = new SpanRowWriter(options);
  }

  /**
   * @param message a list of spans; the caller limits its size
   * @param tenant owner of the spans; "" when tenancy is off
   * @throws WireError; then no span of the message is kept. WIRE_TRUNCATED, WIRE_MALFORMED, WIRE_TOO_DEEP for bytes
   * that are not such a list; the error of the first span when all spans are rejected
   */
  transcode(message: Uint8Array, tenant = ""): TranscodeResult {
    const cursor = new BinaryCursor(message);
    return cursor.readEitherWay(
      () => this.#transcode(cursor, tenant),
      ({ rejectedSpans }) => rejectedSpans,
    );
  }

  #transcode(cursor: BinaryCursor, tenant: string): TranscodeResult {
    // Drops the rows of a message that was refused in the middle.
    this.#writer.take();
    const converter = new ZipkinV1SpanConverter();
    const rejected = new RejectedSpans();
    let count = 0;
    for (const span of readZipkinSpanList(cursor, rejected)) {
      try {
        this.#writer.append(converter.convert(v1SpanOf(span)), tenant);
        count++;
      } catch (error) {
        const index = count + rejected.count;
        rejected.add(span.name, () => `spans[${index}]`, error);
      }
    }
    rejected.refuseNothing(count);
    return {
      rows: this.#writer.take(),
      rejectedSpans: rejected.count,
      errorMessage: rejected.errorMessage,
    };
  }
}

function v1SpanOf(span: ZipkinCoreSpan): ZipkinV1Span {
  if ((span.traceId | (span.traceIdHigh ?? 0n)) === 0n) {
    throw new WireError("WIRE_BAD_ID", "zipkinV1 span traceId: traceId is zero");
  }
  if (span.id === 0n) {
    throw new WireError("WIRE_BAD_ID", "zipkinV1 span id: ID is zero");
  }
  return {
    traceId: hexOf(span.traceIdHigh ?? 0n) + hexOf(span.traceId),
    id: hexOf(span.id),
    parentId: span.parentId === undefined || span.parentId === 0n ? "" : hexOf(span.parentId),
    name: span.name,
    timestamp: span.timestamp,
    duration: span.duration ?? 0n,
    annotations: span.annotations.map(({ timestamp, value, host }) => ({
      timestamp,
      value,
      endpoint: host === undefined ? undefined : endpointOf(host),
    })),
    binaryAnnotations: span.binaryAnnotations.map((annotation) => ({
      key: annotation.key,
      value: valueOfAnnotation(annotation),
      text: annotation.value.toString("utf8"),
      serviceName: annotation.host?.serviceName,
    })),
  };
}

function hexOf(half: bigint): string {
  return half.toString(16).padStart(16, "0");
}

function endpointOf({ serviceName, ipv4, ipv6, port }: ZipkinCoreEndpoint): ZipkinV1Endpoint {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(ipv4);
  return {
    serviceName,
    ipv4: ipv4 === 0 ? "" : ipText(bytes),
    ipv6: ipv6 === undefined || ipv6.length === 0 ? "" : ipText(ipv6),
    port,
  };
}

function valueOfAnnotation({ annotationType, value }: ZipkinCoreBinaryAnnotation): AttributeValue {
  switch (annotationType) {
    case AnnotationType.BOOL:
      return { type: "bool", value: value.length === 1 && value[0] === 1 };
    case AnnotationType.BYTES:
      return { type: "string", value: value.toString("base64") };
    case AnnotationType.I16:
      return numberOf(value, 2, () => ({ type: "int", value: BigInt(value.readUInt16BE()) }));
    case AnnotationType.I32:
      return numberOf(value, 4, () => ({ type: "int", value: BigInt(value.readUInt32BE()) }));
    case AnnotationType.I64:
      return numberOf(value, 8, () => ({ type: "int", value: value.readBigInt64BE() }));
    case AnnotationType.DOUBLE:
      return numberOf(value, 8, () => ({ type: "double", value: value.readDoubleBE() }));
    case AnnotationType.STRING:
      return { type: "string", value: value.toString("utf8") };
    default:
      return { type: "string", value: `<unknown zipkin v1 binary annotation type (${annotationType})>` };
  }
}

function numberOf(value: Buffer, byteCount: number, read: () => AttributeValue): AttributeValue {
  return value.length < byteCount
    ? { type: "string", value: "<not enough bytes representing the number>" }
    : read();
}
