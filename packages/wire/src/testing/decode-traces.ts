import type { Span } from "../model/span.ts";
import { OtlpTranscoder } from "../otlp/otlp-transcoder.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";

/**
 * Decodes an OTLP `ExportTraceServiceRequest` or `TracesData` message into objects; spans with an empty trace or span
 * id are dropped. Only for tools and tests: the collector uses `OtlpTranscoder`.
 * @throws WireError as `OtlpTranscoder.transcode`
 */
export function decodeTraces(request: Uint8Array): Span[] {
  return readSpanRows(new OtlpTranscoder().transcode(request).rows.bytes);
}
