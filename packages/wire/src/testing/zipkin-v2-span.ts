import { nestedJson } from "../api-v2/nested-json.ts";
import type { AttributeValue } from "../model/attribute.ts";
import type { Span, SpanEvent, SpanLink } from "../model/span.ts";
import { attributeText } from "../rows/attribute-text.ts";
import { parseIp } from "../zipkin/ip-text.ts";
import { linkTagPrefix, maxLinks } from "../zipkin/special-tags.ts";

/** A Zipkin v2 span, for both encodings. Absent members are undefined. */
export interface ZipkinV2Span {
  /** 32 or 16 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly id: string;
  /** 16 lower-case hex digits; undefined for a root span. */
  readonly parentId: string | undefined;
  /** Kind of the span; undefined for a span that is not a call. */
  readonly kind: "CLIENT" | "SERVER" | "PRODUCER" | "CONSUMER" | undefined;
  readonly name: string;
  /** Microseconds since the epoch. */
  readonly timestamp: bigint | undefined;
  /** Microseconds, at least 1. */
  readonly duration: bigint | undefined;
  /** The process that created the span. */
  readonly localEndpoint: ZipkinEndpoint | undefined;
  /** Address and service of the other side of the request. */
  readonly remoteEndpoint: ZipkinEndpoint | undefined;
  readonly annotations: readonly { readonly timestamp: bigint; readonly value: string }[];
  readonly tags: ReadonlyMap<string, string>;
}

/** The address and service of a span, or of the other side of its request. */
export interface ZipkinEndpoint {
  readonly serviceName: string;
  /** Address of 4 or 16 bytes. */
  readonly ip: Buffer | undefined;
  readonly port: number;
}

const zeroHalf = "0".repeat(16);
const nanosPerMicro = 1000n;
/** Largest number of microseconds that fits 64-bit nanoseconds. */
const mostMicros = (2n ** 63n - 1n) / nanosPerMicro;
const noService = "OTLPResourceNoServiceName";
const startTimeAbsent = "otel.zipkin.absentField.startTime";
/** Resource attributes that may give the name of the service; the first that is present counts. */
const nameSources = ["service.name", "faas.name", "k8s.deployment.name", "process.executable.name"];

/**
 * A span of the domain model in Zipkin v2. Values become text. Resource, scope, status, trace state and links become
 * tags; when a key is repeated, the last tag counts. `net.host.*`, `net.peer.*` and `peer.service` become endpoints.
 * The reader of Zipkin v2 restores all of them, except the types of values and times below a microsecond.
 *
 * Source: opentelemetry-collector-contrib pkg/translator/zipkin/zipkinv2 0.111, from_translator.go.
 */
export function zipkinV2SpanOf(span: Span): ZipkinV2Span {
  const tags = new Map<string, string>();
  const serviceName = takeResource(span, tags);
  if (span.scope.name !== "") {
    tags.set("otel.library.name", span.scope.name);
  }
  if (span.scope.version !== "") {
    tags.set("otel.library.version", span.scope.version);
  }
  for (const { key, value } of span.attributes) {
    tags.set(key, textOf(value));
  }
  if (span.traceState !== "") {
    tags.set("w3c.tracestate", span.traceState);
  }
  if (span.kind !== "unspecified") {
    tags.delete("span.kind");
  }
  if (span.kind === "internal") {
    tags.set("span.kind", "internal");
  }
  const localEndpoint = endpointOf(tags, serviceName, "net.host.ip", "net.host.port");
  const peer = tags.get("peer.service") ?? "";
  const remoteEndpoint = endpointOf(tags, peer, "net.peer.ip", "net.peer.port");
  if (remoteEndpoint !== undefined) {
    tags.delete("peer.service");
  }
  putStatus(span, tags);
  const links = span.format === "otlp" || span.format === "zipkin" ? span.links : referencesOf(span);
  for (const [index, link] of links.slice(0, maxLinks).entries()) {
    tags.set(linkTagPrefix + index, linkText(link));
  }
  const timestamp = span.startTimeUnixNano > 0n ? span.startTimeUnixNano / nanosPerMicro : 0n;
  if (timestamp === 0n) {
    tags.delete(startTimeAbsent);
  }
  return {
    traceId: span.traceId.startsWith(zeroHalf) ? span.traceId.slice(16) : span.traceId,
    id: span.spanId,
    parentId: span.parentSpanId === "" ? undefined : span.parentSpanId,
    kind: kindOf(span),
    name: span.name,
    timestamp: timestamp === 0n ? undefined : timestamp,
    duration: microsOf(span.durationNano),
    localEndpoint,
    remoteEndpoint,
    annotations: span.events.flatMap(annotationOf),
    tags,
  };
}

/** Adds the resource to the tags. @returns name of the service */
function takeResource({ resource }: Span, tags: Map<string, string>): string {
  for (const { key, value } of resource.attributes) {
    tags.set(key, textOf(value));
  }
  for (const source of nameSources) {
    const name = tags.get(source);
    if (name === undefined || name === "") {
      continue;
    }
    tags.delete(source);
    if (source !== "service.name") {
      tags.set("otlp.service.name.source", source);
    }
    return name;
  }
  tags.delete("service.name");
  return resource.serviceName === noService ? "" : resource.serviceName;
}

/**
 * Makes an endpoint from tags, and removes these tags. Without a name and an address there is no endpoint, and the port
 * stays a tag.
 */
function endpointOf(
  tags: Map<string, string>,
  serviceName: string,
  ipKey: string,
  portKey: string,
): ZipkinEndpoint | undefined {
  const ip = parseIp(tags.get(ipKey) ?? "");
  const portText = tags.get(portKey) ?? "";
  const port = /^\d{1,5}$/.test(portText) && Number(portText) <= 0xffff ? Number(portText) : 0;
  if (serviceName === "" && ip === undefined) {
    return undefined;
  }
  if (ip !== undefined) {
    tags.delete(ipKey);
  }
  if (port !== 0) {
    tags.delete(portKey);
  }
  return { serviceName, ip, port };
}

/** Adds the tags `error`, `otel.status_code` and `otel.status_description`. */
function putStatus({ status }: Span, tags: Map<string, string>): void {
  if (status.code === "error") {
    // A tag `error` from the sender has more information than "true", so it stays.
    if (!tags.has("error")) {
      tags.set("error", "true");
    }
  } else {
    // For Zipkin a tag `error` with any value means an error.
    tags.delete("error");
  }
  if (status.code === "unset" && status.message === "") {
    return;
  }
  tags.set("otel.status_code", status.code === "unset" ? "UNSET" : status.code.toUpperCase());
  if (status.message === "") {
    tags.delete("otel.status_description");
  } else {
    tags.set("otel.status_description", status.message);
  }
}

function kindOf({ kind }: Span): ZipkinV2Span["kind"] {
  switch (kind) {
    case "client":
      return "CLIENT";
    case "server":
      return "SERVER";
    case "producer":
      return "PRODUCER";
    case "consumer":
      return "CONSUMER";
    default:
      return undefined;
  }
}

/** Rounds to microseconds, but not to 0, because Zipkin treats 0 as absent. A negative duration cannot be expressed. */
function microsOf(nanos: bigint): bigint | undefined {
  if (nanos <= 0n) {
    return undefined;
  }
  if (nanos < nanosPerMicro) {
    return 1n;
  }
  const rounded = (nanos + nanosPerMicro / 2n) / nanosPerMicro;
  return rounded > mostMicros ? mostMicros : rounded;
}

/**
 * An event as an annotation: `name|{"key":"value"}|0` when it has attributes. An event without a time gives no
 * annotation.
 */
function annotationOf({ timeUnixNano, name, attributes, droppedAttributesCount }: SpanEvent) {
  const timestamp = timeUnixNano > 0n ? timeUnixNano / nanosPerMicro : 0n;
  // Zipkin refuses annotations without a time.
  if (timestamp === 0n) {
    return [];
  }
  if (attributes.length === 0 && droppedAttributesCount === 0) {
    return [{ timestamp, value: name }];
  }
  const [first] = attributes;
  if (name === "" && attributes.length === 1 && first?.key === "event" && first.value.type === "string") {
    return [{ timestamp, value: first.value.value }];
  }
  const json = nestedJson({ type: "kvlist", value: attributes });
  return [{ timestamp, value: `${name}|${json || "{}"}|${droppedAttributesCount}` }];
}

/** A link as the value of a tag; `encoded-text.ts` describes the form. */
function linkText({
  traceId,
  spanId,
  traceState,
  attributes,
  droppedAttributesCount,
  refType,
}: SpanLink): string {
  const all =
    refType === "child_of"
      ? [...attributes, { key: "opentracing.ref_type", value: { type: "string", value: refType } as const }]
      : attributes;
  const json = nestedJson({ type: "kvlist", value: all });
  return `${traceId}|${spanId}|${traceState}|${json || "{}"}|${droppedAttributesCount}`;
}

/** References of the older model without the parent. */
function referencesOf({ traceId, parentSpanId, links }: Span): readonly SpanLink[] {
  return links.filter((link) => link.traceId !== traceId || link.spanId !== parentSpanId);
}

/** Text of a value in a tag, as OpenTelemetry prints it. */
function textOf(value: AttributeValue): string {
  switch (value.type) {
    case "bytes":
      return Buffer.from(value.value).toString("base64");
    case "array":
    case "kvlist":
      return nestedJson(value);
    default:
      return attributeText(value);
  }
}
