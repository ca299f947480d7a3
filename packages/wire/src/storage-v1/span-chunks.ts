import { Span as ApiV2Span } from "../gen/tracing/api_v2/model.ts";

export interface SpanChunkLimits {
  /** Maximum number of spans in one chunk; default: 1,000, as in Jaeger. */
  readonly maxSpans: number;
  /**
   * Size limit of a chunk in bytes; default: 2 MiB, because clients refuse messages above 4 MiB. A span above the limit
   * gets a separate chunk.
   */
  readonly maxBytes: number;
}

const defaultLimits: SpanChunkLimits = { maxSpans: 1_000, maxBytes: 2 * 1024 * 1024 };

/**
 * The spans of one trace as encoded `SpansResponseChunk` messages. This must be called for each trace separately,
 * because a chunk may contain only one trace.
 */
export function* encodeSpanChunks(spans: Iterable<ApiV2Span>, limits = defaultLimits): Generator<Buffer> {
  let parts: Uint8Array[] = [];
  let count = 0;
  let size = 0;
  for (const span of spans) {
    const message = ApiV2Span.encode(span).finish();
    const head = fieldHead(message.length);
    const more = head.length + message.length;
    if (count === limits.maxSpans || (count > 0 && size + more > limits.maxBytes)) {
      yield Buffer.concat(parts, size);
      parts = [];
      count = 0;
      size = 0;
    }
    parts.push(head, message);
    count++;
    size += more;
  }
  if (count > 0) {
    yield Buffer.concat(parts, size);
  }
}

/** The head of field 1: its tag, and the length of its message. */
function fieldHead(length: number): Uint8Array {
  const bytes = [0x0a];
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) {
    bytes.push((rest & 0x7f) | 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
