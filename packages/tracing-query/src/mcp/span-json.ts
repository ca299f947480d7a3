import { type Attribute, type AttributeValue, lengthNano, type Span } from "wire/model";
import { timeText } from "./time-argument.ts";

/** Converts a value to plain JSON. Integers past 2^53, NaN and infinities become strings; bytes become base64. */
function valueJson(value: AttributeValue): unknown {
  switch (value.type) {
    case "empty":
      return null;
    case "int":
      return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : String(value.value);
    case "double":
      return Number.isFinite(value.value) ? value.value : String(value.value);
    case "array":
      return value.value.map(valueJson);
    case "kvlist":
      return attributesJson(value.value);
    case "bytes":
      return Buffer.from(value.value).toString("base64");
    default:
      return value.value;
  }
}

/** Values by key. A repeated key gets its first value, as in a search. */
function attributesJson(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.toReversed().map(({ key, value }) => [key, valueJson(value)]));
}

/**
 * An object with an attribute list under a name; an empty object for an empty list, because empty parts cost tokens.
 */
function unlessEmpty(name: string, attributes: readonly Attribute[]): Record<string, unknown> {
  return attributes.length === 0 ? {} : { [name]: attributesJson(attributes) };
}

// Names of Jaeger's tools.
const statusNames = { unset: "Unset", ok: "Ok", error: "Error" } as const;

/** A whole span, with the field names of Jaeger's tools. Empty parts are left out. */
export function spanJson(span: Span): Record<string, unknown> {
  const { status, events, links, parentSpanId, warnings } = span;
  return {
    span_id: span.spanId,
    trace_id: span.traceId,
    ...(parentSpanId === "" ? {} : { parent_span_id: parentSpanId }),
    service: span.resource.serviceName,
    span_name: span.name,
    kind: span.kind,
    start_time: timeText(span.startTimeUnixNano),
    duration_us: Number(lengthNano(span)) / 1_000,
    status: {
      code: statusNames[status.code],
      ...(status.message === "" ? {} : { message: status.message }),
    },
    ...unlessEmpty("attributes", span.attributes),
    ...unlessEmpty("resource_attributes", span.resource.attributes),
    ...(events.length === 0
      ? {}
      : {
          events: events.map(({ name, timeUnixNano, attributes }) => ({
            name,
            timestamp: timeText(timeUnixNano),
            ...unlessEmpty("attributes", attributes),
          })),
        }),
    ...(links.length === 0
      ? {}
      : {
          links: links.map(({ traceId, spanId, attributes }) => ({
            ...{ trace_id: traceId, span_id: spanId },
            ...unlessEmpty("attributes", attributes),
          })),
        }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
