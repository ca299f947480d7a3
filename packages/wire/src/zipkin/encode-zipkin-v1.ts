import type { Span } from "../model/span.ts";
import { zipkinAnnotationTypes } from "../thrift/zipkin-core-structs.ts";
import { endpointJson, memberJson } from "./encode-zipkin-v2.ts";
import { ThriftBinaryWriter } from "./thrift-binary-writer.ts";
import { type ZipkinV1BinaryMessage, type ZipkinV1Message, zipkinV1MessageOf } from "./zipkin-v1-message.ts";
import type { ZipkinEndpoint } from "./zipkin-v2-span.ts";

const boolType = zipkinAnnotationTypes.indexOf("BOOL");
const stringType = zipkinAnnotationTypes.indexOf("STRING");
const trueValue = Buffer.of(1);

/**
 * Spans as Zipkin v1 JSON, a list, in UTF-8. What Zipkin has no place for is left out; see `zipkinV1MessageOf`.
 * Source: openzipkin/zipkin-api zipkin-api.yaml.
 */
export function encodeZipkinV1Json(spans: readonly Span[]): Buffer {
  return Buffer.from(`[${spans.map((span) => jsonOf(zipkinV1MessageOf(span))).join(",")}]`);
}

/**
 * Spans as Zipkin v1 Thrift: a bare list of `zipkincore.Span` in the binary protocol. What Zipkin has no place for is left
 * out; see `zipkinV1MessageOf`.
 * Source: idl/zipkincore.thrift.
 */
export function encodeZipkinV1Thrift(spans: readonly Span[]): Buffer {
  const writer = new ThriftBinaryWriter();
  writer.structs(spans.map(zipkinV1MessageOf), writeSpan);
  return writer.take();
}

function jsonOf({ span, annotations, binaryAnnotations }: ZipkinV1Message): string {
  const members = [
    memberJson("traceId", span.traceId),
    memberJson("id", span.id),
    memberJson("name", span.name),
  ];
  if (span.parentId !== undefined) members.push(memberJson("parentId", span.parentId));
  if (span.timestamp !== undefined) members.push(`"timestamp":${span.timestamp}`);
  if (span.duration !== undefined) members.push(`"duration":${span.duration}`);
  const endpoint = endpointMemberJson(span.localEndpoint);
  const items = annotations.map(
    ({ timestamp, value }) => `{"timestamp":${timestamp},${memberJson("value", value)}${endpoint}}`,
  );
  const binaryItems = binaryAnnotations.map(
    (one) =>
      `{${memberJson("key", one.key)},${memberJson("value", one.value)}${endpointMemberJson(one.endpoint)}}`,
  );
  members.push(`"annotations":[${items.join(",")}]`, `"binaryAnnotations":[${binaryItems.join(",")}]`);
  return `{${members.join(",")}}`;
}

function endpointMemberJson(endpoint: ZipkinEndpoint | undefined): string {
  return endpoint === undefined ? "" : `,"endpoint":${endpointJson(endpoint)}`;
}

function writeSpan(
  writer: ThriftBinaryWriter,
  { span, annotations, binaryAnnotations }: ZipkinV1Message,
): void {
  const traceId = span.traceId.padStart(32, "0");
  writer.int64(1, idOf(traceId.slice(16)));
  writer.text(3, span.name);
  writer.int64(4, idOf(span.id));
  if (span.parentId !== undefined) writer.int64(5, idOf(span.parentId));
  writer.list(6, annotations, (_, { timestamp, value }) => {
    writer.int64(1, timestamp);
    writer.text(2, value);
    writeEndpoint(writer, 3, span.localEndpoint);
  });
  writer.list(8, binaryAnnotations, writeBinaryAnnotation);
  if (span.timestamp !== undefined) writer.int64(10, span.timestamp);
  if (span.duration !== undefined) writer.int64(11, span.duration);
  if (span.traceId.length === 32) writer.int64(12, idOf(traceId.slice(0, 16)));
}

function writeBinaryAnnotation(writer: ThriftBinaryWriter, annotation: ZipkinV1BinaryMessage): void {
  const { key, value, isAddress, endpoint } = annotation;
  writer.text(1, key);
  writer.text(2, isAddress ? trueValue : value);
  writer.int32(3, isAddress ? boolType : stringType);
  writeEndpoint(writer, 4, endpoint);
}

function writeEndpoint(writer: ThriftBinaryWriter, id: number, endpoint: ZipkinEndpoint | undefined): void {
  if (endpoint === undefined) return;
  const { serviceName, ip, port } = endpoint;
  writer.struct(id, () => {
    writer.int32(1, ip?.length === 4 ? ip.readInt32BE() : 0);
    writer.int16(2, port);
    writer.text(3, serviceName);
    if (ip?.length === 16) writer.text(4, ip);
  });
}

function idOf(hex: string): bigint {
  return BigInt(`0x${hex}`);
}
