import type { PackedTrace } from "storage/api";
import type { Span } from "wire/model";
import { encodeTraces } from "wire/otlp";
import { spansInParts } from "../service/spans-of.ts";

/** Spans that go in one message at most. */
const maxSpans = 500;

/** Clients refuse messages over 4 MiB by default; only one span that is larger by itself goes out larger. */
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

/** Traces as encoded `TracesData`, never two in one; large traces in several. */
export function* otlpMessages(traces: readonly PackedTrace[]): Generator<Buffer> {
  for (const { spans } of traces) {
    for (const part of spansInParts(spans, maxSpans)) {
      yield* encoded(part);
    }
  }
}
