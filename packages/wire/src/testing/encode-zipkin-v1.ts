import {
  AnnotationType,
  type BinaryAnnotation,
  Span as CoreSpan,
  type Endpoint,
} from "../gen/thrift/zipkincore.ts";
import type { Span } from "../model/span.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { endpointJson, memberJson } from "./encode-zipkin-v2.ts";
import { type ZipkinV1BinaryMessage, type ZipkinV1Message, zipkinV1MessageOf } from "./zipkin-v1-message.ts";
import type { ZipkinEndpoint } from "./zipkin-v2-span.ts";

const trueValue = Buffer.of(1);

/**
 * Spans as Zipkin v1 JSON, a UTF-8 list. Data that Zipkin cannot express is omitted; see `zipkinV1MessageOf`. Source:
 * openzipkin/zipkin-api zipkin-api.yaml.
 */
export function encodeZipkinV1Json(spans: readonly Span[]): Buffer {
  return Buffer.from(`[${spans.map((span) => jsonOf(zipkinV1MessageOf(span))).join(",")}]`);
}

/**
 * Spans as Zipkin v1 Thrift: a list of `zipkincore.Span` without an envelope, in the binary protocol. Data that Zipkin
 * cannot express is omitted; see `zipkinV1MessageOf`. Source: idl/zipkincore.thrift.
 */
export function encodeZipkinV1Thrift(spans: readonly Span[]): Buffer {
  const writer = new BinaryWriter();
  writer.structs(
    CoreSpan,
    spans.map((span) => coreSpanOf(zipkinV1MessageOf(span))),
  );
  return writer.take();
}

/**
 * Members in the order of the public documentation:
 * `{"traceId":"…","id":"…","name":"get","timestamp":1,"annotations":[…],"binaryAnnotations":[…]}`
 */
function jsonOf({ span, annotations, binaryAnnotations }: ZipkinV1Message): string {
  const members = [
    memberJson("traceId", span.traceId),
    memberJson("id", span.id),
    memberJson("name", span.name),
  ];
  if (span.parentId !== undefined) {
    members.push(memberJson("parentId", span.parentId));
  }
  if (span.timestamp !== undefined) {
    members.push(`"timestamp":${span.timestamp}`);
  }
  if (span.duration !== undefined) {
    members.push(`"duration":${span.duration}`);
  }
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

/** The member `endpoint` after a comma; "" without an endpoint. */
function endpointMemberJson(endpoint: ZipkinEndpoint | undefined): string {
  return endpoint === undefined ? "" : `,"endpoint":${endpointJson(endpoint)}`;
}

/** A span for Thrift. A 128-bit trace id needs two fields; for shorter ids the second field is omitted. */
function coreSpanOf({ span, annotations, binaryAnnotations }: ZipkinV1Message): CoreSpan {
  const traceId = span.traceId.padStart(32, "0");
  const host = hostOf(span.localEndpoint);
  return {
    traceId: idOf(traceId.slice(16)),
    name: span.name,
    id: idOf(span.id),
    parentId: span.parentId === undefined ? undefined : idOf(span.parentId),
    annotations: annotations.map(({ timestamp, value }) => ({ timestamp, value, host })),
    binaryAnnotations: binaryAnnotations.map(coreBinaryAnnotationOf),
    timestamp: span.timestamp,
    duration: span.duration,
    traceIdHigh: span.traceId.length === 32 ? idOf(traceId.slice(0, 16)) : undefined,
  };
}

/** A binary annotation for Thrift. An address is the bool value 1 with a host, like `sa` in Zipkin's clients. */
function coreBinaryAnnotationOf({
  key,
  value,
  isAddress,
  endpoint,
}: ZipkinV1BinaryMessage): BinaryAnnotation {
  return {
    key,
    value: isAddress ? trueValue : Buffer.from(value),
    annotationType: isAddress ? AnnotationType.BOOL : AnnotationType.STRING,
    host: hostOf(endpoint),
  };
}

/** A host for Thrift. IPv4 is a signed big-endian number; 0 means no address. */
function hostOf(endpoint: ZipkinEndpoint | undefined): Endpoint | undefined {
  if (endpoint === undefined) {
    return undefined;
  }
  const { serviceName, ip, port } = endpoint;
  return {
    ipv4: ip?.length === 4 ? ip.readInt32BE() : 0,
    port,
    serviceName,
    ipv6: ip?.length === 16 ? ip : undefined,
  };
}

function idOf(hex: string): bigint {
  return BigInt(`0x${hex}`);
}
