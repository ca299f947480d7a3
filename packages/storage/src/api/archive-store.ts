import type { SpanReader } from "./span-reader.ts";
import type { SpanWriter } from "./span-writer.ts";

/**
 * Traces that users want to keep, stored in separate tables. Retention does not remove them, and searches do not find
 * them. A span that is written again is not stored twice. Spans are equal when trace id, span id, service, name, kind
 * and start are.
 */
export interface ArchiveStore {
  /** Reads archived traces by their ids; the archive has no search. */
  readonly reader: Pick<SpanReader, "getTraces" | "getPackedTraces">;
  /** Writes into the archive; retention does not remove these spans. */
  readonly writer: SpanWriter;
}
