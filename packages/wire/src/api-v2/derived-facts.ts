import type { Attribute, AttributeValue } from "../model/attribute.ts";
import { type Span, type SpanKind, type SpanLink, spanKinds } from "../model/span.ts";

function firstValue(tags: readonly Attribute[], key: string): AttributeValue | undefined {
  return tags.find((tag) => tag.key === key)?.value;
}

function firstText(tags: readonly Attribute[], key: string): string | undefined {
  const value = firstValue(tags, key);
  return value?.type === "string" ? value.value : undefined;
}

/** Kind of the span from the tag `span.kind`, for search. */
export function kindFromTags(tags: readonly Attribute[]): SpanKind {
  const text = firstText(tags, "span.kind");
  return spanKinds.find((kind) => kind === text) ?? "unspecified";
}

/**
 * Status of the span for searches, from the tag `error` (a bool, or the text of old clients), or from OpenTelemetry's
 * tags `otel.status_code` and `otel.status_description`.
 */
export function statusFromTags(tags: readonly Attribute[]): Span["status"] {
  const error = firstValue(tags, "error");
  const code = firstText(tags, "otel.status_code");
  const isError =
    code === "ERROR" ||
    (error?.type === "bool" && error.value) ||
    (error?.type === "string" && error.value === "true");
  return {
    code: isError ? "error" : code === "OK" ? "ok" : "unset",
    message: firstText(tags, "otel.status_description") ?? "",
  };
}

const noSpan = "0".repeat(16);

/**
 * The parent of a span: its first CHILD_OF reference within the trace, otherwise its first FOLLOWS_FROM reference
 * within the trace.
 * @returns 16 hex digits; "" without such a reference, or if its id is zero
 */
export function parentFromReferences(traceId: string, references: readonly SpanLink[]): string {
  const inTrace = references.filter((reference) => reference.traceId === traceId);
  const parent = inTrace.find((reference) => reference.refType === "child_of") ?? inTrace[0];
  return parent === undefined || parent.spanId === noSpan ? "" : parent.spanId;
}
