import type { Span } from "../model/span.ts";
import { encodeTraces } from "../otlp/encode-traces.ts";
import { OtlpTranscoder } from "../otlp/otlp-transcoder.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { withoutWarningsAttribute, withWarningsAttribute } from "./warnings.ts";

export interface TraceChunkLimits {
  /** Maximum number of spans in one message; default: 1,000. */
  readonly maxSpans: number;
  /**
   * Size limit of a message in bytes; default: 2 MiB, because peers refuse messages above 4 MiB. A span above the limit
   * gets a separate message.
   */
  readonly maxBytes: number;
}

/** A message, and the number of its spans. */
export interface TraceChunk {
  readonly message: Buffer;
  readonly spans: number;
}

const defaultLimits: TraceChunkLimits = { maxSpans: 1_000, maxBytes: 2 * 1024 * 1024 };

/**
 * Spans as `TracesData` messages, in the given order. For the messages of a read, this must be called for each trace
 * separately, because a message may contain only one trace.
 * @throws WireError WIRE_TOO_DEEP as `encodeTraces`
 */
export function* encodeTraceChunks(spans: readonly Span[], limits = defaultLimits): Generator<TraceChunk> {
  for (let first = 0; first < spans.length; first += limits.maxSpans) {
    yield* halved(spans.slice(first, first + limits.maxSpans), limits.maxBytes);
  }
}

function* halved(spans: readonly Span[], maxBytes: number): Generator<TraceChunk> {
  const message = encodeTraces(spans.map(withWarningsAttribute));
  if (message.length <= maxBytes || spans.length === 1) {
    yield { message, spans: spans.length };
    return;
  }
  const half = Math.ceil(spans.length / 2);
  yield* halved(spans.slice(0, half), maxBytes);
  yield* halved(spans.slice(half), maxBytes);
}

/**
 * The spans of a message of `encodeTraceChunks`, or of another server. Warnings in an attribute become the span's
 * warnings again.
 * @throws WireError as `OtlpTranscoder.transcode`
 */
export function decodeTraceChunk(message: Uint8Array): Span[] {
  if (message.length === 0) {
    return [];
  }
  const { rows } = new OtlpTranscoder().transcode(message);
  return readSpanRows(rows.bytes).map(withoutWarningsAttribute);
}
