import type { SpanReader } from "./span-reader.ts";
import type { SpanWriter } from "./span-writer.ts";

/**
 * Traces that somebody wants to keep, apart from all others: no retention removes them, no search finds them. A span
 * that is written again is not stored twice: spans are alike when trace id, span id, service, name, kind and start are.
 */
export interface ArchiveStore {
  readonly reader: Pick<SpanReader, "getTraces" | "getPackedTraces">;
  readonly writer: SpanWriter;
}
