import type { Span } from "../model/span.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { OtlpTranscoder } from "./otlp-transcoder.ts";

/**
 * The spans of an OTLP `ExportTraceServiceRequest` or `TracesData` message as objects; those with an empty trace or span
 * id are left out. For tools and tests: what only goes to the store takes `OtlpTranscoder`.
 * @throws WireError as `OtlpTranscoder.transcode`
 */
export function decodeTraces(request: Uint8Array): Span[] {
  return readSpanRows(new OtlpTranscoder().transcode(request).rows.bytes);
}
