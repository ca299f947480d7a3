import type { SpanReader } from "./span-reader.ts";
import type { SpanWriter } from "./span-writer.ts";

/**
 * Traces that users want to keep, stored apart: no retention removes them, and no search finds them. A span
 * that is written again is not stored twice. Spans are equal when trace id, span id, service, name, kind and
 * start are.
 */
export interface ArchiveStore {
  /** Reads archived traces by their ids; the archive has no search. */
  readonly reader: Pick<SpanReader, "getTraces" | "getPackedTraces">;
  /** Writes into the archive, where no time limit removes spans. */
  readonly writer: SpanWriter;
}
