import { StartError } from "lifecycle";
import type { SpanWriter, Trace } from "storage/api";
import { isTooLarge, type QuerySource, type SourceSearch } from "storage/grpc";
import type { Span } from "wire/model";
import { SpanBlocks, writeBlock } from "./span-blocks.ts";

/** Minimum length in nanoseconds of the time range of a search; a search of this length is not cut further. */
const shortestNano = 1_000_000n;
/** A search of the minimum length cannot be cut, so its limit is multiplied by this factor. */
const shortestFactor = 100;
const nanosPerMs = 1_000_000n;

export interface CopyRange {
  /** Range of the start of a trace's first span, in nanoseconds since 1970; `toUnixNano` is exclusive. */
  readonly fromUnixNano: bigint;
  readonly toUnixNano: bigint;
  /** Length of a slice in nanoseconds; each search covers at most one slice. */
  readonly sliceNano: bigint;
  /** Maximum number of traces that one search may return. A search with as many matching spans is cut in two. */
  readonly maxTraces: number;
  /** Tenant of the copied spans. */
  readonly tenant: string;
}

export interface CopyCounts {
  traces: number;
  spans: number;
  searches: number;
}

/** A part of the range. */
interface Slice {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Copies traces slice by slice, oldest first. A trace belongs to the slice in which its first span starts, so it is
 * copied once although several services and slices find it.
 * @param onSlice called when all traces of a slice are stored, with its end
 * @throws StorageError of either side; StartError when a search cannot be cut any further
 */
export async function copyTraces(
  source: QuerySource,
  writer: SpanWriter,
  range: CopyRange,
  onSlice: (counts: Readonly<CopyCounts>, doneUnixNano: bigint) => void,
): Promise<CopyCounts> {
  const counts: CopyCounts = { traces: 0, spans: 0, searches: 0 };
  const services = await source.services();
  for (const slice of slicesOf(range)) {
    const receivedUnixMs = Number(slice.from / nanosPerMs);
    const blocks = new SpanBlocks(range.tenant, (rows) =>
      writeBlock(writer, rows, "import-jaeger", receivedUnixMs),
    );
    const seen = new Set<string>();
    for (const service of services) {
      for await (const trace of tracesOf(source, service, slice, { counts, maxTraces: range.maxTraces })) {
        const start = startOf(trace);
        if (start < slice.from || start >= slice.to || seen.has(trace.traceId)) {
          continue;
        }
        seen.add(trace.traceId);
        counts.traces++;
        counts.spans += trace.spans.length;
        for (const span of trace.spans.toSorted(byIdAndStart)) {
          await blocks.add(span);
        }
      }
    }
    await blocks.end();
    onSlice(counts, slice.to);
  }
  return counts;
}

/**
 * All slices except the first begin at multiples of their length, so that overlapping ranges have slices in common, and
 * thus the same blocks.
 */
function* slicesOf({ fromUnixNano, toUnixNano, sliceNano }: CopyRange): Generator<Slice> {
  let from = fromUnixNano;
  while (from < toUnixNano) {
    let to = (from / sliceNano + 1n) * sliceNano;
    if (to > toUnixNano) {
      to = toUnixNano;
    }
    yield { from, to };
    from = to;
  }
}

function startOf({ spans }: Trace): bigint {
  let [first = 0n, ...others] = spans.map(({ startTimeUnixNano }) => startTimeUnixNano);
  for (const start of others) {
    if (start < first) {
      first = start;
    }
  }
  return first;
}

/**
 * Traces with spans of a service in a slice. A search with too many results is replaced by two searches of half the
 * time. Some stores of Jaeger count spans, not traces, against the limit. An answer is therefore complete if it has
 * fewer matching spans than the limit.
 */
async function* tracesOf(
  source: QuerySource,
  service: string,
  whole: Slice,
  { counts, maxTraces }: { readonly counts: CopyCounts; readonly maxTraces: number },
): AsyncGenerator<Trace> {
  const waiting = [whole];
  for (let slice = waiting.pop(); slice !== undefined; slice = waiting.pop()) {
    counts.searches++;
    const { from, to } = slice;
    const isShortest = to - from <= shortestNano;
    const limit = isShortest ? maxTraces * shortestFactor : maxTraces;
    // The search ends at the end of the slice, not 1 ns before. A store with a resolution of microseconds would
    // round that down and miss spans.
    const search = { service, fromUnixNano: from, toUnixNano: to, limit };
    const traces = await source.findTraces(search).catch((error: unknown) => {
      if (isTooLarge(error)) {
        return undefined;
      }
      throw error;
    });
    if (traces !== undefined && matchingSpans(traces, search) < limit) {
      yield* traces.toSorted((one, other) => (one.traceId < other.traceId ? -1 : 1));
      continue;
    }
    if (isShortest) {
      throw new StartError(
        `import-jaeger: ${limit} spans of ${service} or more start at ${new Date(Number(from / nanosPerMs)).toISOString()}: ` +
          "give a larger --max-traces",
      );
    }
    const middle = from + (to - from) / 2n;
    waiting.push({ from: middle, to }, { from, to: middle });
  }
}

function matchingSpans(
  traces: readonly Trace[],
  { service, fromUnixNano, toUnixNano }: SourceSearch,
): number {
  const matches = ({ resource, startTimeUnixNano: start }: Span) =>
    resource.serviceName === service && start >= fromUnixNano && start <= toUnixNano;
  return traces.reduce((sum, { spans }) => sum + spans.filter(matches).length, 0);
}

/** Compares spans, because the order of spans in a block must not depend on their order in an answer. */
function byIdAndStart(one: Span, other: Span): number {
  if (one.spanId !== other.spanId) {
    return one.spanId < other.spanId ? -1 : 1;
  }
  return Number(one.startTimeUnixNano - other.startTimeUnixNano);
}
