import type { Span as ApiV2Span } from "../gen/tracing/api_v2/model.ts";
import type { Span } from "../model/span.ts";
import { fromApiV2Batch } from "./from-api-v2-batch.ts";
import { otlpFromApiV2 } from "./otlp-from-api-v2.ts";
import { formatTagKey } from "./to-api-v2-span.ts";

/**
 * Converts spans of a remote storage to the domain model. The last tag of a span is the format in which a collector
 * received it. For `proto` and `jaeger` the tag is removed. Spans with `otlp` and `zipkin` are converted back, as far
 * as the `api_v2` model has all facts. A span without the tag, or one that no collector can have written, keeps all its
 * tags and gets format `proto`. `toApiV2Span` returns the same tags, logs and references for the result.
 * @throws WireError WIRE_BAD_ID when an id has a wrong length
 */
export function fromStoredApiV2Spans(stored: readonly ApiV2Span[]): Span[] {
  return fromApiV2Batch({ spans: [...stored], process: undefined }, "proto").map((span, index) =>
    inItsFormat(stored[index]?.process?.serviceName === "" ? withoutServiceName(span) : span),
  );
}

/**
 * Removes the name that the translation to the `api_v2` model adds. A collector adds a name to such spans; spans from
 * other writers have none and stay unchanged.
 */
function withoutServiceName(span: Span): Span {
  return { ...span, resource: { ...span.resource, serviceName: "" } };
}

function inItsFormat(span: Span): Span {
  const last = span.attributes.at(-1);
  if (last?.key !== formatTagKey || last.value.type !== "string") {
    return span;
  }
  const format = last.value.value;
  const attributes = span.attributes.slice(0, -1);
  switch (format) {
    case "proto":
    case "jaeger":
      // If the new last tag had the same key, the next conversion would take it for the format tag.
      return attributes.at(-1)?.key === formatTagKey ? span : { ...span, attributes, format };
    case "otlp":
    case "zipkin":
      return otlpFromApiV2({ ...span, attributes, format }) ?? span;
    default:
      return span;
  }
}
