// Converts spans of the `api_v2` model to OTLP, as Jaeger does. Source: opentelemetry-collector-contrib
// pkg/translator/jaeger, as used by release 1.62 of Jaeger.
import type { Attribute, AttributeValue } from "../model/attribute.ts";
import {
  type Resource,
  type Scope,
  type Span,
  type SpanEvent,
  type SpanKind,
  type SpanLink,
  spanKinds,
} from "../model/span.ts";

/**
 * Attributes by key. For a repeated key, the last value counts, at the place of the first, because OTLP allows a key
 * only once.
 */
type AttributeMap = Map<string, AttributeValue>;

/**
 * Converts a span of the `api_v2` model (formats `proto` and `jaeger`) to the OTLP span with the same meaning. Tags
 * give kind, status, trace state and scope. Logs become events, and references become links. Flags and warnings are
 * lost.
 * @param resource see `resourceOfProcess`
 */
export function otlpOfModel(span: Span, resource: Resource): Span {
  const { scope, tags } = takeScope(span.attributes);
  const attributes = mapOf(tags);
  const kind = takeKind(attributes);
  const status = takeStatus(attributes, kind);
  const traceState = textOf(take(attributes, "w3c.tracestate"));
  return {
    ...span,
    kind,
    status,
    traceState,
    flags: 0,
    attributes: listOf(attributes),
    events: span.events.map(eventOfLog),
    links: span.links.filter((link) => !isParent(link, span)).map(linkOfReference),
    resource,
    scope,
    format: "otlp",
    warnings: [],
  };
}

/** The OTLP resource for a process of the `api_v2` model. */
export function resourceOfProcess(process: Resource): Resource {
  if (process.serviceName === "OTLPResourceNoServiceName") {
    return { ...process, attributes: [] };
  }
  const named: Attribute = { key: "service.name", value: { type: "string", value: process.serviceName } };
  const attributes = mapOf(process.serviceName === "" ? process.attributes : [named, ...process.attributes]);
  rename(attributes, "hostname", "host.name", (value) => value);
  rename(attributes, "jaeger.version", "opencensus.exporterversion", (value) => ({
    type: "string",
    value: `Jaeger-${textOf(value)}`,
  }));
  return { ...process, attributes: listOf(attributes) };
}

/** Removes the first tags with the name and the version of the scope. A version without a name is ignored. */
function takeScope(attributes: readonly Attribute[]): { scope: Scope; tags: readonly Attribute[] } {
  const nameAt = attributes.findIndex(({ key }) => key === "otel.scope.name");
  const versionAt = nameAt === -1 ? -1 : attributes.findIndex(({ key }) => key === "otel.scope.version");
  return {
    scope: {
      name: textOf(attributes[nameAt]?.value),
      version: textOf(attributes[versionAt]?.value),
      attributes: [],
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
    tags: attributes.filter((_tag, index) => index !== nameAt && index !== versionAt),
  };
}

/** Removes the tag `span.kind`. @returns "unspecified" for an unknown text */
function takeKind(attributes: AttributeMap): SpanKind {
  const text = textOf(take(attributes, "span.kind"));
  return spanKinds.find((kind) => kind === text) ?? "unspecified";
}

/** Removes the tags that decide the status: first `error` true, then `otel.status_code`, then the HTTP status code. */
function takeStatus(attributes: AttributeMap, kind: SpanKind): Span["status"] {
  const error = attributes.get("error");
  const httpMessage = textOf(attributes.get("http.status_message"));
  if (error?.type === "bool" && error.value) {
    attributes.delete("error");
    attributes.delete("otel.status_code");
    const description = take(attributes, "otel.status_description");
    return { code: "error", message: description === undefined ? httpMessage : textOf(description) };
  }
  if (attributes.has("otel.status_code")) {
    const code = textOf(take(attributes, "otel.status_code")).toUpperCase();
    const message = textOf(take(attributes, "otel.status_description"));
    return { code: code === "OK" ? "ok" : code === "ERROR" ? "error" : "unset", message };
  }
  if (isHttpError(attributes.get("http.status_code"), kind)) {
    return { code: "error", message: httpMessage };
  }
  return { code: "unset", message: "" };
}

/**
 * True when `http.status_code` is an error: below 100, or above 399. For a server span, 400 to 499 do not count: they
 * are errors of the client.
 */
function isHttpError(value: AttributeValue | undefined, kind: SpanKind): boolean {
  const isNumber = value?.type === "int" || (value?.type === "string" && /^[+-]?\d{1,18}$/.test(value.value));
  if (!isNumber) {
    return false;
  }
  const code = Number(value.value);
  // An error of the client is not an error of the server.
  if (kind === "server" && code >= 400 && code < 500) {
    return false;
  }
  return code < 100 || code >= 400;
}

/** The field `event` of a log becomes the name of the event; other fields become its attributes. */
function eventOfLog(log: SpanEvent): SpanEvent {
  const attributes = mapOf(log.attributes);
  const name = textOf(take(attributes, "event"));
  return { ...log, name, attributes: listOf(attributes) };
}

/** True for a reference to the parent, for which OTLP has a separate field. */
function isParent(reference: SpanLink, { parentSpanId }: Span): boolean {
  return reference.refType === "child_of" && reference.spanId === (parentSpanId || "0".repeat(16));
}

/**
 * Converts a reference to a link; OTLP has no field for its type, so the attribute `opentracing.ref_type` contains it.
 */
function linkOfReference(reference: SpanLink): SpanLink {
  const value = reference.refType === "child_of" ? "child_of" : "follows_from";
  return {
    ...reference,
    attributes: [{ key: "opentracing.ref_type", value: { type: "string", value } }],
    refType: "none",
  };
}

/** Moves a value to another key, unless that key exists already. */
function rename(
  attributes: AttributeMap,
  from: string,
  to: string,
  convert: (value: AttributeValue) => AttributeValue,
): void {
  const value = attributes.get(from);
  if (value === undefined || attributes.has(to)) {
    return;
  }
  attributes.delete(from);
  attributes.set(to, convert(value));
}

/** Removes an attribute. @returns value of the attribute */
function take(attributes: AttributeMap, key: string): AttributeValue | undefined {
  const value = attributes.get(key);
  attributes.delete(key);
  return value;
}

/** Text of a string value; "" for any other type, and for a missing value. */
function textOf(value: AttributeValue | undefined): string {
  return value?.type === "string" ? value.value : "";
}

function mapOf(attributes: readonly Attribute[]): AttributeMap {
  return new Map(attributes.map(({ key, value }) => [key, value]));
}

function listOf(attributes: AttributeMap): Attribute[] {
  return Array.from(attributes, ([key, value]) => ({ key, value }));
}
