import type { OtlpAttribute, OtlpSpan, OtlpTraces } from "../otlp.ts";

/** A value of OTLP JSON with any members. */
type Json = Readonly<Record<string, unknown>>;

/** The row of a span: a value for each column of `spanSchema`; undefined is null. */
export interface SpanRow {
  /** Values by name of the column. */
  readonly values: Json;
  /** Roughly the bytes of the texts in the row. */
  readonly bytes: number;
}

/** Names of OTLP's span kinds and status codes, by number. */
export const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"];
export const statuses = ["unset", "ok", "error"];
const lastTimestamp = 2n ** 63n - 1n;

/** The rows of a trace, in the order of its spans. */
export function* rowsOf(traces: OtlpTraces): Generator<SpanRow> {
  for (const { resource = {}, scopeSpans = [], ...restOfGroup } of traces.resourceSpans ?? []) {
    const { attributes: ofResource, ...restOfResource } = resource;
    const own = attributeColumns(ofResource);
    const service = ofResource?.find(({ key }) => key === "service.name")?.value?.stringValue;
    for (const { scope = {}, spans = [], ...restOfScopeGroup } of scopeSpans as readonly ScopeSpans[]) {
      const { name, version, attributes: ofScope, ...restOfScope } = scope;
      const scopes = attributeColumns(ofScope);
      const shared = {
        ...{ service_name: service, resource_attributes: own.map, typed_resource_attributes: own.typed },
        ...{ scope_name: name, scope_version: version },
        ...{ scope_attributes: scopes.map, typed_scope_attributes: scopes.typed },
      };
      const rest = {
        resourceSpans: restOfGroup,
        resource: { ...restOfResource, ...own.repeated },
        scopeSpans: restOfScopeGroup,
        scope: { ...restOfScope, ...scopes.repeated },
      };
      for (const span of spans) {
        const row = spanColumns(span, rest);
        yield { values: { ...shared, ...row.values }, bytes: row.bytes + own.bytes + scopes.bytes };
      }
    }
  }
}

/** Spans of a library, with the members that this file reads. */
interface ScopeSpans {
  readonly scope?: { readonly name?: string; readonly version?: string; readonly attributes?: Attributes };
  readonly spans?: readonly (OtlpSpan & Json)[];
}

type Attributes = readonly OtlpAttribute[] | undefined;

function spanColumns(span: OtlpSpan & Json, restOfOthers: Json): SpanRow {
  const { traceId, spanId, parentSpanId, traceState, name, kind, status, ...times } = span;
  const { startTimeUnixNano, endTimeUnixNano, attributes, events, links, ...rest } = times;
  const own = attributeColumns(attributes);
  const start = BigInt(startTimeUnixNano ?? "0");
  const end = BigInt(endTimeUnixNano ?? "0");
  const isTime = start <= lastTimestamp && end <= lastTimestamp;
  const ofEvents = ((events ?? []) as readonly Json[]).map(eventColumns);
  const ofLinks = ((links ?? []) as readonly Json[]).map(linkColumns);
  const restOfSpan = {
    ...{ ...rest, ...own.repeated },
    // Times after 2262 do not fit a timestamp of Parquet.
    ...(isTime ? {} : { startTimeUnixNano, endTimeUnixNano }),
  };
  return {
    values: {
      ...{ trace_id: traceId, span_id: spanId, parent_span_id: parentSpanId || undefined },
      ...{ trace_state: traceState || undefined, name },
      kind: nameOf(kind, kinds, "SPAN_KIND_"),
      ...(isTime ? { start_time: start, duration_nano: end - start } : {}),
      status: nameOf(status?.code, statuses, "STATUS_CODE_"),
      status_message: status?.message || undefined,
      ...{ attributes: own.map, typed_attributes: own.typed },
      ...{ events: ofEvents.map(({ values }) => values), links: ofLinks.map(({ values }) => values) },
      rest: orNone({ ...withoutEmpty(restOfOthers), ...withoutEmpty({ span: restOfSpan }) }),
    },
    bytes: [own, ...ofEvents, ...ofLinks].reduce((sum, { bytes }) => sum + bytes, 200),
  };
}

function eventColumns({ timeUnixNano, name, attributes, ...rest }: Json): SpanRow {
  const own = attributeColumns(attributes as Attributes);
  const time = BigInt((timeUnixNano as string | undefined) ?? "0");
  const isTime = time <= lastTimestamp;
  return {
    values: {
      ...{ time: isTime ? time : undefined, name, attributes: own.map, typed_attributes: own.typed },
      rest: orNone({ ...rest, ...own.repeated, ...(isTime ? {} : { timeUnixNano }) }),
    },
    bytes: own.bytes + 50,
  };
}

function linkColumns({ traceId, spanId, traceState, attributes, ...rest }: Json): SpanRow {
  const own = attributeColumns(attributes as Attributes);
  return {
    values: {
      ...{ trace_id: traceId, span_id: spanId, trace_state: traceState || undefined },
      ...{ attributes: own.map, typed_attributes: own.typed, rest: orNone({ ...rest, ...own.repeated }) },
    },
    bytes: own.bytes + 100,
  };
}

/** Columns of a list of attributes. */
interface AttributeColumns {
  /** The text of each attribute. A repeated key has its first value. */
  readonly map: readonly { readonly key: string; readonly value: string }[];
  /** OTLP values of the attributes that are no text, by key; undefined when all are text. */
  readonly typed: Json | undefined;
  /** The whole list, if a map would lose or reorder its keys; otherwise empty. */
  readonly repeated: { readonly attributes?: readonly OtlpAttribute[] };
  readonly bytes: number;
}

function attributeColumns(attributes: Attributes = []): AttributeColumns {
  const texts = new Map<string, string>();
  const typed = new Map<string, unknown>();
  let bytes = 0;
  for (const { key, value = {} } of attributes) {
    if (texts.has(key)) {
      continue;
    }
    const text = value.stringValue ?? textOf(value);
    texts.set(key, text);
    bytes += key.length + text.length;
    if (value.stringValue === undefined) {
      typed.set(key, value);
    }
  }
  return {
    map: Array.from(texts, ([key, value]) => ({ key, value })),
    typed: typed.size === 0 ? undefined : Object.fromEntries(typed),
    // Readers of maps refuse repeated keys. JavaScript reorders keys that are numbers, and reserves `__proto__`.
    repeated:
      texts.size === attributes.length && !attributes.some(({ key }) => /^(?:\d+|__proto__)$/.test(key))
        ? {}
        : { attributes },
    bytes,
  };
}

/** Plain text of an OTLP value: `42`, `true`, `["a","b"]`; bytes stay in base64; "" for no value. */
function textOf(value: Json): string {
  const plain = plainOf(value);
  return plain === undefined ? "" : typeof plain === "object" ? JSON.stringify(plain) : String(plain);
}

/** An OTLP value without the names of its types. Integers stay digits, because JSON numbers lose some. */
function plainOf(value: Json): unknown {
  const { arrayValue, kvlistValue, ...plain } = value as {
    readonly arrayValue?: { readonly values?: readonly Json[] };
    readonly kvlistValue?: { readonly values?: readonly { readonly key: string; readonly value?: Json }[] };
  };
  if (arrayValue !== undefined) {
    return (arrayValue.values ?? []).map(plainOf);
  }
  if (kvlistValue !== undefined) {
    return Object.fromEntries(
      (kvlistValue.values ?? []).map(({ key, value: each }) => [key, plainOf(each ?? {})]),
    );
  }
  return Object.values(plain)[0];
}

/** The short name for an enum's number or for OTLP's own name: 2 and `SPAN_KIND_SERVER` become `server`. */
function nameOf(value: number | string | undefined, names: readonly string[], prefix: string): string {
  return typeof value === "string"
    ? value.replace(prefix, "").toLowerCase()
    : (names[value ?? 0] ?? String(value));
}

/** The members, except for empty objects. */
function withoutEmpty(members: Json): Json {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => Object.keys(value as object).length > 0),
  );
}

function orNone(members: Json): Json | undefined {
  return Object.keys(members).length === 0 ? undefined : members;
}
