import type { Span as ApiV2Span } from "../gen/tracing/api_v2/model.ts";
import type { Span } from "../model/span.ts";
import { formatTagKey, toApiV2Span } from "./to-api-v2-span.ts";

/**
 * A span as a remote storage returns it: as it was written, with nothing added. No client of that API writes spans of
 * OTLP and Zipkin. They are translated as the public model's collector would have written them, with the format tag.
 */
export function toStoredApiV2Span(span: Span): ApiV2Span {
  const stored = toApiV2Span(span);
  const isOlderModel = span.format === "proto" || span.format === "jaeger";
  if (isOlderModel && span.attributes.at(-1)?.key !== formatTagKey) {
    stored.tags.pop();
  }
  return stored;
}
