import { isObject, type JsonObject, objectsIn } from "./json-shape.ts";
import { anyValue, textOf } from "./otlp-values.ts";

// OTLP's status codes by the names of both SDKs.
const statuses = new Map([
  ["OK", 1],
  ["ERROR", 2],
]);

/**
 * Converts spans of console exporters to resource spans of OTLP JSON. There is one document per span or a list:
 * Python's `ConsoleSpanExporter`, Go's `stdouttrace` and Java's `OtlpJsonLoggingSpanExporter`.
 *
 * ```
 * Python  {"name": "GET /", "context": {"trace_id": "0x71a8…", "span_id": "0x…a1"}, "parent_id": null, …}
 * Go      {"Name": "GET /", "SpanContext": {"TraceID": "71a8…", "SpanID": "…a1"}, "Parent": {…}, …}
 * →       [{"resource": {…}, "scopeSpans": [{"scope": {…}, "spans": [{"traceId": "71a8…", "name": "GET /", …}]}]}]
 * ```
 *
 * @returns undefined when the value is not a list of console spans
 */
export function otlpOfConsoleSpans(value: unknown): readonly unknown[] | undefined {
  const spans = Array.isArray(value) ? objectsIn(value) : [value].filter(isObject);
  const groups = spans.map((span) => groupOfPython(span) ?? groupOfGo(span) ?? groupWithoutRequest(span));
  return groups.length === 0 || groups.includes(undefined) ? undefined : groups;
}

/** Java's `OtlpJsonLoggingSpanExporter` writes resource spans without the enclosing request. */
function groupWithoutRequest(value: JsonObject): unknown {
  return Array.isArray(value.scopeSpans) ? value : undefined;
}

/** Converts a span of Python's exporter; undefined for any other value. */
function groupOfPython(span: JsonObject): unknown {
  const { context, resource } = span;
  if (!isObject(context) || typeof context.trace_id !== "string") {
    return undefined;
  }
  const status = isObject(span.status) ? span.status : {};
  // Before version 1.16 of Python's SDK the resource consists of the attributes themselves.
  const ofResource = isObject(resource) && isObject(resource.attributes) ? resource.attributes : resource;
  return groupOf(
    entriesOf(ofResource),
    {},
    {
      traceId: hexOf(context.trace_id),
      spanId: hexOf(context.span_id),
      parentSpanId: hexOf(span.parent_id),
      name: textOf(span.name),
      kind: textOf(span.kind).replace("SpanKind.", "SPAN_KIND_"),
      startTimeUnixNano: nanosOf(span.start_time),
      endTimeUnixNano: nanosOf(span.end_time),
      status: { code: statuses.get(textOf(status.status_code)) ?? 0, message: textOf(status.description) },
      attributes: entriesOf(span.attributes),
      events: objectsIn(span.events).map(({ name, timestamp, attributes }) => ({
        ...{ name: textOf(name), timeUnixNano: nanosOf(timestamp), attributes: entriesOf(attributes) },
      })),
      links: objectsIn(span.links).map((link) => {
        const linked = isObject(link.context) ? link.context : {};
        const ids = { traceId: hexOf(linked.trace_id), spanId: hexOf(linked.span_id) };
        return { ...ids, attributes: entriesOf(link.attributes) };
      }),
    },
  );
}

/** Converts a span of Go's exporter; undefined for any other value. */
function groupOfGo(span: JsonObject): unknown {
  const { SpanContext: context, Parent: parent } = span;
  if (!isObject(context) || typeof context.TraceID !== "string") {
    return undefined;
  }
  const status = isObject(span.Status) ? span.Status : {};
  const scope = [span.InstrumentationScope, span.InstrumentationLibrary].find(isObject) ?? {};
  const parentId = isObject(parent) ? textOf(parent.SpanID) : "";
  return groupOf(
    pairsOf(span.Resource),
    { name: textOf(scope.Name), version: textOf(scope.Version) },
    {
      traceId: context.TraceID,
      spanId: textOf(context.SpanID),
      traceState: textOf(context.TraceState),
      parentSpanId: /^0*$/.test(parentId) ? "" : parentId,
      name: textOf(span.Name),
      kind: span.SpanKind,
      startTimeUnixNano: nanosOf(span.StartTime),
      endTimeUnixNano: nanosOf(span.EndTime),
      status: {
        code: statuses.get(textOf(status.Code).toUpperCase()) ?? 0,
        message: textOf(status.Description),
      },
      attributes: pairsOf(span.Attributes),
      events: objectsIn(span.Events).map(({ Name, Time, Attributes }) => ({
        ...{ name: textOf(Name), timeUnixNano: nanosOf(Time), attributes: pairsOf(Attributes) },
      })),
      links: objectsIn(span.Links).map((link) => {
        const linked = isObject(link.SpanContext) ? link.SpanContext : {};
        const ids = { traceId: textOf(linked.TraceID), spanId: textOf(linked.SpanID) };
        return { ...ids, attributes: pairsOf(link.Attributes) };
      }),
    },
  );
}

/** Combines one span with its resource and scope in OTLP's form. */
function groupOf(attributes: unknown, scope: unknown, span: unknown): unknown {
  return { resource: { attributes }, scopeSpans: [{ scope, spans: [span] }] };
}

/** Python's ids are hex numbers, such as `0x00af…`. */
function hexOf(id: unknown): string {
  return textOf(id).replace(/^0x/, "");
}

/** Converts a plain object to a list of OTLP attributes. */
function entriesOf(attributes: unknown): unknown[] {
  return Object.entries(isObject(attributes) ? attributes : {}).map(([key, value]) => ({
    ...{ key, value: anyValue(value) },
  }));
}

/** Converts Go's attributes: a list of keys, each with a value and its type. */
function pairsOf(attributes: unknown): unknown[] {
  return objectsIn(attributes).map(({ Key, Value }) => {
    const own = isObject(Value) ? Value : {};
    const value = own.Type === "FLOAT64" ? { doubleValue: own.Value } : anyValue(own.Value);
    return { key: textOf(Key), value };
  });
}

/** Converts a time in ISO 8601 with up to nine fraction digits to nanoseconds; "0" for anything else. */
function nanosOf(time: unknown): string {
  const [, seconds, fraction = "", zone] =
    /^(.*?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(textOf(time)) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? "0" : String(BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0")));
}
