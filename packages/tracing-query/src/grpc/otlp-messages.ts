import type { PackedTrace } from "storage/api";
import type { Span } from "wire/model";
import { encodeTraces } from "wire/otlp";
import { spansInParts } from "../service/spans-of.ts";

/** Maximum number of spans in one message. More spans need several messages. */
const maxSpans = 500;

/**
 * Maximum number of bytes of a message, because clients refuse messages over 4 MiB by default. A single larger span
 * still makes a larger message.
 */
const maxBytes = 3 * 1024 * 1024;

function* encoded(spans: readonly Span[]): Generator<Buffer> {
  const message = encodeTraces(spans, { likeQueryService: true });
  if (message.length <= maxBytes || spans.length === 1) {
    yield message;
    return;
  }
  const half = Math.ceil(spans.length / 2);
  yield* encoded(spans.slice(0, half));
  yield* encoded(spans.slice(half));
}

/**
 * Encodes traces as `TracesData` messages. A message holds spans of one trace only; a large trace takes
 * several.
 */
export function* otlpMessages(traces: readonly PackedTrace[]): Generator<Buffer> {
  for (const { spans } of traces) {
    for (const part of spansInParts(spans, maxSpans)) {
      yield* encoded(part);
    }
  }
}
