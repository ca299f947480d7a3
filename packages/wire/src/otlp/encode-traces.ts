import { TracesData } from "../gen/opentelemetry/proto/trace/v1/trace.ts";
import type { Span } from "../model/span.ts";
import { type EncodeOptions, groupSpans } from "./group-spans.ts";
import { resourceSpansOf } from "./resource-spans.ts";

/**
 * Converts spans of every format to an OTLP `TracesData` message, which is also a valid `ExportTraceServiceRequest`.
 * Spans are grouped by resource and scope. `decodeTraces` is the inverse: for OTLP spans the result is exactly equal.
 * @param spans with attributes nested no deeper than `maxAttributeDepth`
 * @throws WireError WIRE_TOO_DEEP
 */
export function encodeTraces(spans: readonly Span[], options?: EncodeOptions): Buffer {
  const bytes = TracesData.encode({
    resourceSpans: groupSpans(spans, options).map(resourceSpansOf),
  }).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
