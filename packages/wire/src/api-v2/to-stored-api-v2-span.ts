import type { Span as ApiV2Span } from "../gen/tracing/api_v2/model.ts";
import type { Span } from "../model/span.ts";
import { formatTagKey, toApiV2Span } from "./to-api-v2-span.ts";

/**
 * Converts a span to the form in which a remote storage returns it, which is the form in which it was written. Clients
 * of that API never write OTLP or Zipkin spans. If OTLP or Zipkin spans are stored, they are converted as in Jaeger's
 * collector, with the format tag.
 */
export function toStoredApiV2Span(span: Span): ApiV2Span {
  const stored = toApiV2Span(span);
  const isOlderModel = span.format === "proto" || span.format === "jaeger";
  if (isOlderModel && span.attributes.at(-1)?.key !== formatTagKey) {
    stored.tags.pop();
  }
  return stored;
}
