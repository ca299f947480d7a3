/**
 * The row of one span as the store gives it, by its columns: those of `spanColumns`, but for the tenant, whose rows alone it
 * gives, and with all that few spans have in the last column as one text: see `details-text.ts`.
 */
export const storedColumns = [
  "format",
  "service",
  "resource_text",
  "resource_schema_url",
  "scope_name",
  "scope_version",
  "scope_schema_url",
  "trace_id",
  "span_id",
  "parent_span_id",
  "trace_state",
  "flags",
  "name",
  "kind",
  "start",
  "duration",
  "status",
  "status_message",
  "attribute_text",
  "events",
  "span_details",
] as const;
