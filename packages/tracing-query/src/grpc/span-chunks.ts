import type { PackedTrace } from "storage/api";
import type { ApiV2Span, KeyValue } from "wire/api-v2";
import { toShownSpan } from "../service/api-trace.ts";
import { spansOf } from "../service/spans-of.ts";

/** Maximum number of spans in a chunk, as in Jaeger. More spans need several chunks. */
const maxChunkSpans = 10;

/**
 * Maximum number of characters of a chunk: clients refuse messages over 4 MiB by default, and a character has at most
 * three bytes.
 */
const maxChunkCharacters = 1_000_000;

/** Estimates the characters of tags. Each tag adds twenty for field names and numbers. */
function tagsSize(tags: readonly KeyValue[]): number {
  return tags.reduce((sum, tag) => sum + tag.key.length + tag.vStr.length + tag.vBinary.length + 20, 0);
}

/** Estimates a span's characters, because encoding it would cost more. */
function roughSize(span: ApiV2Span): number {
  let size = 100 + span.operationName.length + tagsSize(span.tags) + tagsSize(span.process?.tags ?? []);
  for (const log of span.logs) {
    size += 20 + tagsSize(log.fields);
  }
  return size + span.references.length * 32;
}

/**
 * Splits traces into chunks of few spans, so that no message is too large. A chunk contains spans of only one trace.
 */
export function* spanChunks(traces: readonly PackedTrace[]): Generator<ApiV2Span[]> {
  for (const trace of traces) {
    let chunk: ApiV2Span[] = [];
    let chunkSize = 0;
    for (const span of spansOf(trace.spans)) {
      const apiSpan = toShownSpan(span);
      const size = roughSize(apiSpan);
      if (chunk.length === maxChunkSpans || (chunk.length > 0 && chunkSize + size > maxChunkCharacters)) {
        yield chunk;
        chunk = [];
        chunkSize = 0;
      }
      chunk.push(apiSpan);
      chunkSize += size;
    }
    yield chunk;
  }
}
