import { maxNanos } from "../api-v2/nano-times.ts";
import { WireError } from "../errors.ts";
import type { Attribute, AttributeValue } from "../model/attribute.ts";
import type { Resource, Scope, Span, SpanEvent, SpanKind } from "../model/span.ts";
import { ZipkinV1Status } from "./zipkin-v1-status.ts";

const noScope: Scope = { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" };
const unknownService = "unknown-service";
const nanosPerMicro = 1000n;

/**
 * Kind of the span for annotations that tell a side of the request: `cs` ("client send") occurs in a span of a client.
 */
const kinds = new Map<string, SpanKind>([
  ["cs", "client"],
  ["cr", "client"],
  ["ms", "producer"],
  ["mr", "consumer"],
  ["ss", "server"],
  ["sr", "server"],
]);

/** The process that recorded an annotation. */
export interface ZipkinV1Endpoint {
  readonly serviceName: string;
  /** IPv4 address as text; "" when there is none. */
  readonly ipv4: string;
  readonly ipv6: string;
  readonly port: number;
}

/** A text with a time: an event, or a side of the request. */
export interface ZipkinV1Annotation {
  /** Microseconds since the epoch. */
  readonly timestamp: bigint;
  readonly value: string;
  readonly endpoint: ZipkinV1Endpoint | undefined;
}

/** A key with a value: a tag, or an address. */
export interface ZipkinV1BinaryAnnotation {
  readonly key: string;
  readonly value: AttributeValue;
  /** The value as text. For the key `lc` it is the name of a component. */
  readonly text: string;
  /** Service of the annotation's endpoint; undefined when there is no usable endpoint. */
  readonly serviceName: string | undefined;
}

/** A Zipkin v1 span, JSON or Thrift, with ids checked. */
export interface ZipkinV1Span {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly id: string;
  /** 16 lower-case hex digits, or "". */
  readonly parentId: string;
  readonly name: string;
  /** Start in microseconds since the epoch. Undefined: annotations define the time. */
  readonly timestamp: bigint | undefined;
  /** Duration in microseconds. */
  readonly duration: bigint;
  readonly annotations: readonly ZipkinV1Annotation[];
  readonly binaryAnnotations: readonly ZipkinV1BinaryAnnotation[];
}

/**
 * Converts the spans of one message to the domain model by Jaeger's rules. The first annotation that tells a side gives
 * the kind. The first such annotation with a known service name gives the resource. Other annotations become events.
 * Binary annotations become attributes; when a key is repeated, the last value counts.
 *
 * Source: opentelemetry-collector-contrib pkg/translator/zipkin/zipkinv1 0.111, as used by Jaeger 1.62.
 */
export class ZipkinV1SpanConverter {
  /** The resource of each service. Spans of one service share the object, which makes the row writer faster. */
  readonly #resources = new Map<string, Resource>();

  /** @throws WireError WIRE_MALFORMED for a time after 2262, or a duration of over 292 years */
  convert(v1: ZipkinV1Span): Span {
    const { kind, endpoint, earliest, latest, events } = readAnnotations(v1.annotations);
    const { attributes, status, fallbackName } = readBinaryAnnotations(v1.binaryAnnotations);
    // A span without a timestamp lasts from its first annotation to its last.
    const start = nanosOf(v1.timestamp ?? earliest ?? 0n);
    const last = v1.timestamp === undefined ? (latest ?? 0n) : v1.timestamp + v1.duration;
    const end = last <= 0n ? 0n : last * nanosPerMicro;
    if (end - start > maxNanos) {
      throw new WireError(
        "WIRE_MALFORMED",
        `a duration of ${(end - start) / nanosPerMicro} µs is over 292 years`,
      );
    }
    return {
      traceId: v1.traceId,
      spanId: v1.id,
      parentSpanId: v1.parentId,
      traceState: "",
      flags: 0,
      name: v1.name,
      kind,
      startTimeUnixNano: start,
      durationNano: end - start,
      attributes,
      droppedAttributesCount: 0,
      events,
      droppedEventsCount: 0,
      links: [],
      droppedLinksCount: 0,
      status,
      resource: this.#resourceOf(
        endpoint ?? { serviceName: fallbackName || unknownService, ipv4: "", ipv6: "", port: 0 },
      ),
      scope: noScope,
      format: "zipkin",
      warnings: [],
    };
  }

  #resourceOf({ serviceName, ipv4, ipv6, port }: ZipkinV1Endpoint): Resource {
    const key = `${port} ${ipv4} ${ipv6} ${serviceName}`;
    let resource = this.#resources.get(key);
    if (resource === undefined) {
      const attributes = [textAttribute("service.name", serviceName)];
      if (ipv4 !== "") {
        attributes.push(textAttribute("ipv4", ipv4));
      }
      if (ipv6 !== "") {
        attributes.push(textAttribute("ipv6", ipv6));
      }
      if (port !== 0) {
        attributes.push(textAttribute("port", String(port)));
      }
      resource = { serviceName, attributes, droppedAttributesCount: 0, schemaUrl: "" };
      this.#resources.set(key, resource);
    }
    return resource;
  }
}

/** Reads kind, endpoint, first and last time, and events from a span's annotations. */
function readAnnotations(annotations: readonly ZipkinV1Annotation[]) {
  let kind: SpanKind = "unspecified";
  let endpoint: ZipkinV1Endpoint | undefined;
  let earliest: bigint | undefined;
  let latest: bigint | undefined;
  const events: SpanEvent[] = [];
  for (const annotation of annotations) {
    const { timestamp, value } = annotation;
    if (value === "") {
      continue;
    }
    const side = kinds.get(value);
    if (side !== undefined && kind === "unspecified") {
      kind = side;
    }
    const name = annotation.endpoint?.serviceName ?? "";
    if (side !== undefined && endpoint === undefined && name !== "" && name !== unknownService) {
      endpoint = annotation.endpoint;
    }
    if (earliest === undefined || timestamp < earliest) {
      earliest = timestamp;
    }
    if (latest === undefined || timestamp > latest) {
      latest = timestamp;
    }
    if (side !== undefined) {
      continue;
    }
    events.push({
      timeUnixNano: eventNanosOf(timestamp),
      name: value,
      attributes: [],
      droppedAttributesCount: 0,
    });
  }
  return { kind, endpoint, earliest, latest, events };
}

/**
 * Attributes and status from binary annotations. When the span has no endpoint, a service name among these annotations
 * is used.
 */
function readBinaryAnnotations(annotations: readonly ZipkinV1BinaryAnnotation[]) {
  const status = new ZipkinV1Status();
  const attributes = new Map<string, AttributeValue>();
  let fallbackName = "";
  let component = "";
  for (const { key: sentKey, value, text, serviceName } of annotations) {
    if (serviceName !== undefined) {
      fallbackName = serviceName;
    }
    const key = sentKey === "lc" ? "component" : sentKey;
    if (sentKey === "lc") {
      component = text;
    }
    if (!status.take(key, value)) {
      attributes.set(key, value);
    }
  }
  return {
    attributes: Array.from(attributes, ([key, value]): Attribute => ({ key, value })),
    status: status.status,
    fallbackName: fallbackName || component,
  };
}

/** Times before the epoch count as absent, as in Jaeger. @throws WireError for a time after 2262 */
function nanosOf(micros: bigint): bigint {
  if (micros * nanosPerMicro > maxNanos) {
    throw new WireError("WIRE_MALFORMED", `a time of ${micros} µs is after the year 2262`);
  }
  return micros <= 0n ? 0n : micros * nanosPerMicro;
}

/** An event after 2262 is set to the last time that can be stored. */
function eventNanosOf(micros: bigint): bigint {
  return micros * nanosPerMicro > maxNanos ? maxNanos : nanosOf(micros);
}

function textAttribute(key: string, value: string): Attribute {
  return { key, value: { type: "string", value } };
}
