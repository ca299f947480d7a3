import type { SchemaElement } from "hyparquet-writer";

type Repetition = "REQUIRED" | "OPTIONAL" | "REPEATED";

const text = (name: string, repetition: Repetition = "OPTIONAL"): SchemaElement => ({
  ...{ name, type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  repetition_type: repetition,
});
const json = (name: string): SchemaElement => ({
  ...{ name, type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } },
  repetition_type: "OPTIONAL",
});
/** Nanoseconds since the Unix epoch, in UTC. */
const time = (name: string): SchemaElement => ({
  ...{ name, type: "INT64", repetition_type: "OPTIONAL" },
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "NANOS" },
});
const group = (name: string, children: number, repetition: Repetition): SchemaElement => ({
  ...{ name, num_children: children, repetition_type: repetition },
});
/** Texts by key, in the order of the sender. */
const map = (name: string): readonly SchemaElement[] => [
  { ...group(name, 1, "REQUIRED"), converted_type: "MAP", logical_type: { type: "MAP" } },
  group("key_value", 2, "REPEATED"),
  text("key", "REQUIRED"),
  text("value", "REQUIRED"),
];
const list = (name: string, members: readonly (readonly SchemaElement[])[]): readonly SchemaElement[] => [
  { ...group(name, 1, "REQUIRED"), converted_type: "LIST", logical_type: { type: "LIST" } },
  group("list", 1, "REPEATED"),
  group("element", members.length, "REQUIRED"),
  ...members.flat(),
];

/**
 * Columns of a file, each with its schema. `docs/tracing-command.md` describes them. A `typed_…` column is an object
 * with the OTLP value of each attribute that is no text; the map beside it has the text of every attribute. `rest` has
 * the other members of OTLP, such as counts of what was dropped.
 */
const columns: Readonly<Record<string, readonly SchemaElement[]>> = {
  trace_id: [text("trace_id", "REQUIRED")],
  span_id: [text("span_id", "REQUIRED")],
  parent_span_id: [text("parent_span_id")],
  trace_state: [text("trace_state")],
  name: [text("name")],
  kind: [text("kind")],
  start_time: [time("start_time")],
  duration_nano: [{ name: "duration_nano", type: "INT64", repetition_type: "OPTIONAL" }],
  status: [text("status")],
  status_message: [text("status_message")],
  service_name: [text("service_name")],
  resource_attributes: map("resource_attributes"),
  typed_resource_attributes: [json("typed_resource_attributes")],
  scope_name: [text("scope_name")],
  scope_version: [text("scope_version")],
  scope_attributes: map("scope_attributes"),
  typed_scope_attributes: [json("typed_scope_attributes")],
  attributes: map("attributes"),
  typed_attributes: [json("typed_attributes")],
  events: list("events", [
    [time("time")],
    [text("name")],
    map("attributes"),
    [json("typed_attributes")],
    [json("rest")],
  ]),
  links: list("links", [
    [text("trace_id")],
    [text("span_id")],
    [text("trace_state")],
    map("attributes"),
    [json("typed_attributes")],
    [json("rest")],
  ]),
  rest: [json("rest")],
};

/** Names of the columns, in the order of the file. */
export const columnNames = Object.keys(columns);

/** The schema of a file: a tree in depth-first order, as Parquet stores it. */
export const spanSchema: SchemaElement[] = [
  { name: "spans", num_children: columnNames.length },
  ...Object.values(columns).flat(),
];
