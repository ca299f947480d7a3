import type { PackedTrace, ReadOptions, SpanList } from "storage/api";
import { concerns, refusePartial } from "storage/asked-time";
import { PartialReasons } from "storage/partial-answer";

/** Missing spans of a trace start at most this long before or after the present spans. */
const marginNano = 600_000_000_000n;

/**
 * Reads traces by id, without a time range. Missing data of another time than a trace's spans does not
 * concern the trace. For a trace that is not found, all missing data counts.
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
  if (reasons.length === 0) {
    return traces;
  }
  const hasAll = new Set(traces.map(({ traceId }) => traceId)).size >= new Set(asked).size;
  const times = traces.map(({ spans }) => timeOf(spans));
  for (const reason of reasons) {
    if (!hasAll || times.some((time) => concerns(reason, time))) {
      onPartial(reason);
    }
  }
  return traces;
}

/** Spans are ordered by start. */
function timeOf(spans: SpanList): { startUnixNano: bigint; endUnixNano: bigint } {
  const [first = 0n, last = 0n] = [0, spans.length - 1].map((index) => spans.at(index)?.startTimeUnixNano);
  return { startUnixNano: first - marginNano, endUnixNano: last + marginNano };
}
