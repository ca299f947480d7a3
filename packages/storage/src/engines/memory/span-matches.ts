import type { Attribute, Span } from "wire/model";
import { attributeText, soughtDoubleText } from "wire/rows";
import type { TraceQuery } from "../../api/span-reader.ts";

/** True when this single span satisfies every condition of the search. */
export function spanMatches(span: Span, query: TraceQuery): boolean {
  const { startTimeMinUnixNano: startMin, startTimeMaxUnixNano: startMax } = query;
  if (query.service && span.resource.serviceName !== query.service) {
    return false;
  }
  if (query.operation && span.name !== query.operation) {
    return false;
  }
  if (startMin !== undefined && span.startTimeUnixNano < startMin) {
    return false;
  }
  if (startMax !== undefined && span.startTimeUnixNano > startMax) {
    return false;
  }
  if (query.durationMinNano && span.durationNano < query.durationMinNano) {
    return false;
  }
  if (query.durationMaxNano && span.durationNano > query.durationMaxNano) {
    return false;
  }
  if (query.spanKind !== undefined && span.kind !== query.spanKind) {
    return false;
  }
  if (query.hasError !== undefined && (span.status.code === "error") !== query.hasError) {
    return false;
  }
  for (const [key, value] of query.tags ?? []) {
    if (!hasTag(span, key, value)) {
      return false;
    }
  }
  return true;
}

function hasTag(span: Span, key: string, value: string): boolean {
  const asDouble = soughtDoubleText(value);
  const isTag = (attribute: Attribute) => {
    if (attribute.key !== key) {
      return false;
    }
    const text = attributeText(attribute.value);
    return text === value || (attribute.value.type === "double" && text === asDouble);
  };
  return (
    span.attributes.some(isTag) ||
    span.resource.attributes.some(isTag) ||
    span.events.some(({ attributes }) => attributes.some(isTag)) ||
    isShownAsTag(span, key, value)
  );
}

/** True for a field of the span that searches see as this tag, for example the kind as `span.kind`. */
function isShownAsTag(span: Span, key: string, value: string): boolean {
  if (key === "service.name") {
    return span.resource.serviceName === value;
  }
  if (key === "internal.span.format") {
    return span.format === value;
  }
  if ((span.format !== "otlp" && span.format !== "zipkin") || value === "") {
    return false;
  }
  switch (key) {
    case "span.kind":
      return span.kind === value && value !== "unspecified";
    case "otel.status_code":
      return span.status.code !== "unset" && span.status.code.toUpperCase() === value;
    case "error":
      return span.status.code === "error" && value === "true";
    case "otel.status_description":
      return span.status.message === value;
    case "otel.scope.name":
      return span.scope.name === value;
    case "otel.scope.version":
      return span.scope.version === value;
    case "w3c.tracestate":
      return span.traceState === value;
    case "event":
      return span.events.some(({ name }) => name === value);
    default:
      return false;
  }
}
