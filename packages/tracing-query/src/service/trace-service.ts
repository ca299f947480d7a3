import type { ArchiveStore, PackedTrace, ReadOptions, SpanList, SpanReader, TraceQuery } from "storage/api";
import { concerns, refusePartial, timeOf, withinTime } from "storage/asked-time";
import { isUnsupported } from "storage/errors";
import { PartialReasons } from "storage/partial-answer";
import { type LargeTraceSemaphore, type OnCount, readWithSemaphore } from "./large-trace-semaphore.ts";
import type { StoreReads } from "./store-reads.ts";

/** Parts that the reads of traces need. */
export interface TraceServiceParts {
  /** Traces by id and by search. */
  readonly reader: SpanReader;
  /** Traces that a user chose to keep. */
  readonly archive: Pick<ArchiveStore, "reader">;
  /** Memory for large traces. */
  readonly room: LargeTraceSemaphore;
}

/**
 * Reads of whole traces, by id and by search. Every read is counted and timed, and its memory is limited. Any method
 * may throw `StorageError`.
 */
export class TraceService {
  readonly #parts: TraceServiceParts;
  readonly #reads: StoreReads;
  /** Undefined until the first answer of the store. */
  #hasArchive: boolean | undefined;

  constructor(parts: TraceServiceParts, reads: StoreReads) {
    this.#parts = parts;
    this.#reads = reads;
  }

  /**
   * The traces with these ids (32 hex digits each), in the order of the request, in the store's most compact
   * form. Unknown ids are left out. Traces that the store lacks are searched in the archive.
   * @param onCount as in `SpanReader.getPackedTraces`
   */
  async getPackedTraces(
    traceIds: readonly string[],
    options: ReadOptions,
    onCount?: OnCount,
  ): Promise<PackedTrace[]> {
    return await readLackingTraces(traceIds, options, (read) =>
      this.#getPackedTraces(traceIds, read, onCount),
    );
  }

  async #getPackedTraces(
    traceIds: readonly string[],
    options: ReadOptions,
    onCount?: OnCount,
  ): Promise<PackedTrace[]> {
    const { reader } = this.#parts;
    const traces = await this.#reads.list("get_trace", options, () =>
      this.#readPacked(reader, traceIds, options, onCount),
    );
    const found = new Set(traces.map(({ traceId }) => traceId));
    const missing = traceIds.filter((id) => !found.has(id));
    if (missing.length === 0) {
      return traces;
    }
    const archived = await this.#archivedTraces(missing, options, onCount);
    if (archived.length === 0) {
      return traces;
    }
    const byId = new Map([...traces, ...archived].map((trace) => [trace.traceId, trace]));
    return [...new Set(traceIds)].flatMap((id) => byId.get(id) ?? []);
  }

  #readPacked(
    reader: ArchiveStore["reader"],
    traceIds: readonly string[],
    options: ReadOptions,
    onCount: OnCount = () => {},
  ): Promise<PackedTrace[]> {
    return readWithSemaphore(
      this.#parts.room,
      options,
      onCount,
      async (read, count) =>
        await (reader.getPackedTraces?.(traceIds, read, count) ?? reader.getTraces(traceIds, read)),
    );
  }

  /** Whole traces that a search finds, newest first, in the store's most compact form. */
  findPackedTraces(query: TraceQuery, options: ReadOptions): Promise<PackedTrace[]> {
    const { reader } = this.#parts;
    return this.#find(query, options, reader.getPackedTraces?.bind(reader));
  }

  /** Like `findPackedTraces`, but without the data that trace lists do not show, if the store can omit such data. */
  findOutlines(query: TraceQuery, options: ReadOptions): Promise<PackedTrace[]> {
    const { reader } = this.#parts;
    return this.#find(query, options, (reader.getOutlines ?? reader.getPackedTraces)?.bind(reader));
  }

  #find(query: TraceQuery, options: ReadOptions, get: SpanReader["getPackedTraces"]): Promise<PackedTrace[]> {
    const { reader, room } = this.#parts;
    const inTime = withinTime(options, timeOf(query));
    return this.#reads.list("find_traces", options, async () => {
      if (get === undefined) {
        return await reader.findTraces(query, inTime);
      }
      const ids = await reader.findTraceIds(query, inTime);
      return await readLackingTraces(ids, options, (lacking) =>
        readWithSemaphore(
          room,
          lacking,
          () => {},
          async (read, count) => await get(ids, read, count),
        ),
      );
    });
  }

  /** True when the store has an archive; undefined while the store does not answer. */
  async hasArchive(options: ReadOptions = {}): Promise<boolean | undefined> {
    if (this.#hasArchive === undefined) {
      await this.#archivedTraces(["0".repeat(32)], { ...options, onPartial() {} }).catch(() => []);
    }
    return this.#hasArchive;
  }

  async #archivedTraces(
    traceIds: readonly string[],
    options: ReadOptions,
    onCount?: OnCount,
  ): Promise<PackedTrace[]> {
    if (this.#hasArchive === false) {
      return [];
    }
    try {
      const traces = await this.#readPacked(this.#parts.archive.reader, traceIds, options, onCount);
      this.#hasArchive = true;
      return traces;
    } catch (error) {
      if (!isUnsupported(error)) {
        throw error;
      }
      this.#hasArchive = false;
      return [];
    }
  }
}

/** Assumed limit: a trace's missing spans start at most this long before or after its present spans. */
const marginNano = 600_000_000_000n;

/**
 * Reads traces by id, without a time range. Missing data from a time without spans of the trace does not
 * make the trace partial. If one of the traces is not found, all missing data counts.
 */
async function readLackingTraces(
  asked: readonly string[],
  options: ReadOptions,
  read: (options: ReadOptions) => Promise<PackedTrace[]>,
): Promise<PackedTrace[]> {
  const { onPartial = refusePartial } = options;
  const all = new PartialReasons();
  const traces = await read({ ...options, onPartial: all.add });
  const { reasons = [] } = all.partial ?? {};
  if (reasons.length === 0) {
    return traces;
  }
  const hasAll = new Set(traces.map(({ traceId }) => traceId)).size >= new Set(asked).size;
  const times = traces.map(({ spans }) => timeOfSpans(spans));
  for (const reason of reasons) {
    if (!hasAll || times.some((time) => concerns(reason, time))) {
      onPartial(reason);
    }
  }
  return traces;
}

/** Spans are ordered by start. */
function timeOfSpans(spans: SpanList): { startUnixNano: bigint; endUnixNano: bigint } {
  const [first = 0n, last = 0n] = [0, spans.length - 1].map((index) => spans.at(index)?.startTimeUnixNano);
  return { startUnixNano: first - marginNano, endUnixNano: last + marginNano };
}
