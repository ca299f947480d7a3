/**
 * The row of a span as the store returns it. It has the columns of `spanColumns` except the tenant, and some of them
 * are joined into one text: see `scope-text.ts`, `event-text.ts` and, for rare fields, `details-text.ts`.
 */
export const storedColumns = [
  "format",
  "service",
  "resource_text",
  "scope_text",
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
  "event_text",
  "span_details",
] as const;
