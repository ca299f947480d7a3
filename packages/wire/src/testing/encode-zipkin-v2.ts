import { BinaryWriter } from "@bufbuild/protobuf/wire";
import type { Span } from "../model/span.ts";
import { ipText } from "../zipkin/ip-text.ts";
import { type ZipkinEndpoint, type ZipkinV2Span, zipkinV2SpanOf } from "./zipkin-v2-span.ts";

const kindNumbers = { CLIENT: 1, SERVER: 2, PRODUCER: 3, CONSUMER: 4 } as const;

/**
 * Spans as Zipkin v2 JSON, a UTF-8 list. Data that Zipkin cannot express is omitted; see `zipkinV2SpanOf`. Source:
 * openzipkin/zipkin-api zipkin2-api.yaml.
 */
export function encodeZipkinV2Json(spans: readonly Span[]): Buffer {
  return Buffer.from(`[${spans.map((span) => jsonOf(zipkinV2SpanOf(span))).join(",")}]`);
}

/**
 * Spans as Zipkin v2 protobuf, a `ListOfSpans`. Data that Zipkin cannot express is omitted; see `zipkinV2SpanOf`.
 * Source: openzipkin/zipkin-api zipkin.proto.
 */
export function encodeZipkinV2Proto(spans: readonly Span[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const span of spans) {
    writer.tag(1, 2).fork();
    writeSpan(writer, zipkinV2SpanOf(span));
    writer.join();
  }
  return writer.finish();
}

/**
 * JSON of a span. `JSON.stringify` is not used, because times may have more digits than a number can represent, and
 * tags may have names such as `__proto__` or `1`.
 */
function jsonOf(span: ZipkinV2Span): string {
  const members = [memberJson("traceId", span.traceId)];
  if (span.parentId !== undefined) {
    members.push(memberJson("parentId", span.parentId));
  }
  members.push(memberJson("id", span.id));
  if (span.kind !== undefined) {
    members.push(memberJson("kind", span.kind));
  }
  if (span.name !== "") {
    members.push(memberJson("name", span.name));
  }
  if (span.timestamp !== undefined) {
    members.push(`"timestamp":${span.timestamp}`);
  }
  if (span.duration !== undefined) {
    members.push(`"duration":${span.duration}`);
  }
  if (span.localEndpoint !== undefined) {
    members.push(`"localEndpoint":${endpointJson(span.localEndpoint)}`);
  }
  if (span.remoteEndpoint !== undefined) {
    members.push(`"remoteEndpoint":${endpointJson(span.remoteEndpoint)}`);
  }
  if (span.annotations.length > 0) {
    const items = span.annotations.map(
      ({ timestamp, value }) => `{"timestamp":${timestamp},${memberJson("value", value)}}`,
    );
    members.push(`"annotations":[${items.join(",")}]`);
  }
  if (span.tags.size > 0) {
    members.push(`"tags":{${Array.from(span.tags, ([key, value]) => memberJson(key, value)).join(",")}}`);
  }
  return `{${members.join(",")}}`;
}

/** JSON of an endpoint, for v1 and v2. */
export function endpointJson({ serviceName, ip, port }: ZipkinEndpoint): string {
  const members: string[] = [];
  if (serviceName !== "") {
    members.push(memberJson("serviceName", serviceName));
  }
  if (ip !== undefined) {
    members.push(memberJson(ip.length === 4 ? "ipv4" : "ipv6", ipText(ip)));
  }
  if (port !== 0) {
    members.push(`"port":${port}`);
  }
  return `{${members.join(",")}}`;
}

/** A member of an object; half of a surrogate pair becomes U+FFFD. */
export function memberJson(name: string, value: string): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value.toWellFormed())}`;
}

function writeSpan(writer: BinaryWriter, span: ZipkinV2Span): void {
  writer.tag(1, 2).bytes(Buffer.from(span.traceId.padStart(32, "0"), "hex"));
  if (span.parentId !== undefined) {
    writer.tag(2, 2).bytes(Buffer.from(span.parentId, "hex"));
  }
  writer.tag(3, 2).bytes(Buffer.from(span.id, "hex"));
  if (span.kind !== undefined) {
    writer.tag(4, 0).int32(kindNumbers[span.kind]);
  }
  if (span.name !== "") {
    writer.tag(5, 2).string(span.name);
  }
  if (span.timestamp !== undefined) {
    writer.tag(6, 1).fixed64(span.timestamp);
  }
  if (span.duration !== undefined) {
    writer.tag(7, 0).uint64(span.duration);
  }
  if (span.localEndpoint !== undefined) {
    writeEndpoint(writer, 8, span.localEndpoint);
  }
  if (span.remoteEndpoint !== undefined) {
    writeEndpoint(writer, 9, span.remoteEndpoint);
  }
  for (const { timestamp, value } of span.annotations) {
    writer.tag(10, 2).fork().tag(1, 1).fixed64(timestamp).tag(2, 2).string(value).join();
  }
  for (const [key, value] of span.tags) {
    writer.tag(11, 2).fork().tag(1, 2).string(key).tag(2, 2).string(value).join();
  }
}

function writeEndpoint(writer: BinaryWriter, field: number, { serviceName, ip, port }: ZipkinEndpoint): void {
  writer.tag(field, 2).fork();
  if (serviceName !== "") {
    writer.tag(1, 2).string(serviceName);
  }
  if (ip !== undefined) {
    writer.tag(ip.length === 4 ? 2 : 3, 2).bytes(ip);
  }
  if (port !== 0) {
    writer.tag(4, 0).int32(port);
  }
  writer.join();
}
