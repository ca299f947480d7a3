import type { Span as ApiV2Span } from "../gen/tracing/api_v2/model.ts";
import type { Span } from "../model/span.ts";
import { fromApiV2Batch } from "./from-api-v2-batch.ts";
import { otlpFromApiV2 } from "./otlp-from-api-v2.ts";
import { formatTagKey } from "./to-api-v2-span.ts";

/**
 * Converts spans of a remote storage to the domain model. The last tag of a span names the format in which a collector
 * received it. For `proto` and `jaeger` the tag is removed. `otlp` and `zipkin` are translated back as far as the older
 * model kept the facts. A span keeps all its tags and gets format `proto` when it lacks the tag, or when no translation
 * can have produced it. `toApiV2Span` of the result returns the same tags, logs and references.
 * @throws WireError WIRE_BAD_ID when an id has a wrong length
 */
export function fromStoredApiV2Spans(stored: readonly ApiV2Span[]): Span[] {
  return fromApiV2Batch({ spans: [...stored], process: undefined }, "proto").map((span, index) =>
    inItsFormat(stored[index]?.process?.serviceName === "" ? withoutServiceName(span) : span),
  );
}

/**
 * Removes the name that the translation to the older model adds. A collector names such spans; spans from other writers
 * stay unchanged.
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
      // An earlier tag with the same key, now last, would be taken for the format tag at the next conversion.
      return attributes.at(-1)?.key === formatTagKey ? span : { ...span, attributes, format };
    case "otlp":
    case "zipkin":
      return otlpFromApiV2({ ...span, attributes, format }) ?? span;
    default:
      return span;
  }
}
