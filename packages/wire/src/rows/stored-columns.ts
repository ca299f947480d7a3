/**
 * The row of one span as the store gives it, by its columns: those of `spanColumns`, but for the tenant, whose rows alone it
 * gives, and with some of them as one text: see `scope-text.ts`, `event-text.ts` and, for what few spans have, `details-text.ts`.
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
