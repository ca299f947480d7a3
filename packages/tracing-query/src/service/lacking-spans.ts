import {
  concerns,
  type PackedTrace,
  PartialReasons,
  type ReadOptions,
  refusePartial,
  type SpanList,
} from "storage/api";

/** Spans of a trace that are missing start at most so long before or after those that are there. */
const marginNano = 600_000_000_000n;

/**
 * Reads traces by their ids, which name no time. Spans of another time than theirs are missing from none of them; where a trace is not
 * there at all, all that is missing may be it.
 */
export async function readLackingTraces(
  asked: readonly string[],
  options: ReadOptions,
  read: (options: ReadOptions) => Promise<PackedTrace[]>,
): Promise<PackedTrace[]> {
  const { onPartial = refusePartial } = options;
  const all = new PartialReasons();
  const traces = await read({ ...options, onPartial: all.add });
  const { reasons = [] } = all.partial ?? {};
  if (reasons.length === 0) return traces;
  const hasAll = new Set(traces.map(({ traceId }) => traceId)).size >= new Set(asked).size;
  const times = traces.map(({ spans }) => timeOf(spans));
  for (const reason of reasons) {
    if (!hasAll || times.some((time) => concerns(reason, time))) onPartial(reason);
  }
  return traces;
}

/** Spans are in order of their start. */
function timeOf(spans: SpanList): { startUnixNano: bigint; endUnixNano: bigint } {
  const [first = 0n, last = 0n] = [0, spans.length - 1].map((index) => spans.at(index)?.startTimeUnixNano);
  return { startUnixNano: first - marginNano, endUnixNano: last + marginNano };
}
