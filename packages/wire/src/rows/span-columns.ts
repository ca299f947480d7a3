/**
 * The row of one span: its columns with their ClickHouse types, in the order of RowBinary. The transcoders write such
 * rows, the journal stores them, and the store has columns for them.
 *
 * Attributes of the span and of its resource are one string each, `attribute_text` and `resource_text`: see
 * `attribute-list.ts`. The few attributes of scopes, events and links are arrays of tuples.
 *
 * Both have values in the same text form, which tag searches also compare. Strings are unchanged. The other forms are
 * `true`/`false`, decimal integers, doubles as in JavaScript (`NaN`, `Infinity`, `-0`), bytes as lower-case hex, and ""
 * for an empty value. Arrays and kvlists are typed JSON (see `typed-json.ts`).
 *
 * Tenant, resource, scope and format are first, because all spans of an OTLP scope have the same values in them, which
 * are copied together.
 *
 * Source: ClickHouse documentation, "RowBinary" and "Data types".
 */
const attributes =
  "Array(Tuple(key LowCardinality(String), type Enum8('empty' = 0, 'string' = 1, 'bool' = 2, 'int' = 3, " +
  "'double' = 4, 'array' = 5, 'kvlist' = 6, 'bytes' = 7), value String))";

export const spanColumns = [
  /** Owner of the span; "" when tenancy is off. */
  { name: "tenant", type: "LowCardinality(String)" },
  { name: "format", type: "Enum8('otlp' = 0, 'proto' = 1, 'jaeger' = 2, 'zipkin' = 3)" },
  { name: "service", type: "LowCardinality(String)" },
  { name: "resource_text", type: "LowCardinality(String)" },
  { name: "resource_dropped_attributes", type: "UInt32" },
  { name: "resource_schema_url", type: "LowCardinality(String)" },
  { name: "scope_name", type: "LowCardinality(String)" },
  { name: "scope_version", type: "LowCardinality(String)" },
  { name: "scope_attributes", type: attributes },
  { name: "scope_dropped_attributes", type: "UInt32" },
  { name: "scope_schema_url", type: "LowCardinality(String)" },
  { name: "trace_id", type: "FixedString(16)" },
  { name: "span_id", type: "FixedString(8)" },
  /** Eight zero bytes for a root span. */
  { name: "parent_span_id", type: "FixedString(8)" },
  { name: "trace_state", type: "String" },
  { name: "flags", type: "UInt32" },
  { name: "name", type: "LowCardinality(String)" },
  {
    name: "kind",
    type: "Enum8('unspecified' = 0, 'internal' = 1, 'server' = 2, 'client' = 3, 'producer' = 4, 'consumer' = 5)",
  },
  { name: "start", type: "DateTime64(9, 'UTC')" },
  /** Nanoseconds. */
  { name: "duration", type: "Int64" },
  { name: "status", type: "Enum8('unset' = 0, 'ok' = 1, 'error' = 2)" },
  { name: "status_message", type: "String" },
  { name: "attribute_text", type: "String" },
  { name: "dropped_attributes", type: "UInt32" },
  {
    name: "events",
    type: `Array(Tuple(time DateTime64(9, 'UTC'), name LowCardinality(String), attributes ${attributes}, dropped_attributes UInt32))`,
  },
  { name: "dropped_events", type: "UInt32" },
  {
    name: "links",
    type:
      `Array(Tuple(trace_id FixedString(16), span_id FixedString(8), trace_state String, attributes ${attributes}, ` +
      "dropped_attributes UInt32, flags UInt32, ref_type Enum8('none' = 0, 'child_of' = 1, 'follows_from' = 2)))",
  },
  { name: "dropped_links", type: "UInt32" },
  { name: "warnings", type: "Array(String)" },
] as const;

export type SpanColumn = (typeof spanColumns)[number]["name"];
