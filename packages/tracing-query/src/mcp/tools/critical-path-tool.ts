import { criticalPath } from "storage/api";
import { type ShownSpan, shownSpans } from "../../service/shown-spans.ts";
import { defineTool, type Tool } from "../tool.ts";
import { traceArguments, traceOf } from "./trace-argument.ts";

/**
 * `get_critical_path` {"trace_id": "71a8…"} → the spans that the trace waited for. `longest` sums segments by span, so
 * that the assistant does not have to sum them.
 *
 * ```
 * {"total_duration_us": 100000, "critical_path_duration_us": 100000,
 *  "longest": [{"span_id": "…a3", "service": "db", "span_name": "SELECT", "self_time_us": 50000}, …],
 *  "segments": [{"span_id": "…a1", …, "self_time_us": 10000, "start_offset_us": 0, "end_offset_us": 10000}, …]}
 * ```
 */
export const criticalPathTool: Tool = defineTool({
  name: "get_critical_path",
  title: "Critical path of a trace",
  description:
    "What the trace waited for, moment by moment: at each the span that ended last, and its parent where no child ran. " +
    "`longest` ranks spans by their whole time on the path, `segments` are in order of time.",
  weight: "trace",
  input: traceArguments,
  async answer({ trace_id }, context) {
    const trace = await traceOf(trace_id, context);
    const spans = await shownSpans(trace, context.adjust);
    const sections = (await criticalPath(spans)).reverse();
    // The trace lasts from its first start to its last end, which may lie outside the path of the first root.
    let startNano = spans[0]?.startTimeUnixNano ?? 0n;
    let endNano = startNano;
    for (const { startTimeUnixNano: start, durationNano } of spans) {
      if (start < startNano) {
        startNano = start;
      }
      if (start + durationNano > endNano) {
        endNano = start + durationNano;
      }
    }
    const micros = (nano: bigint) => Number(nano) / 1_000;
    const ofSpan = new Map<ShownSpan, bigint>();
    let pathNano = 0n;
    for (const { span, startUnixNano, endUnixNano } of sections) {
      pathNano += endUnixNano - startUnixNano;
      ofSpan.set(span, (ofSpan.get(span) ?? 0n) + endUnixNano - startUnixNano);
    }
    const named = ({ spanId, service, operation }: ShownSpan) => ({
      ...{ span_id: spanId, service, span_name: operation },
    });
    return {
      fields: {
        trace_id: trace.traceId,
        link: context.link(`/trace/${trace.traceId}`),
        total_duration_us: micros(endNano - startNano),
        critical_path_duration_us: micros(pathNano),
        longest: [...ofSpan]
          .sort(([, a], [, b]) => Number(b - a))
          .map(([span, nano]) => ({ ...named(span), self_time_us: micros(nano) })),
        segments: sections.map(({ span, startUnixNano, endUnixNano }) => ({
          ...named(span),
          self_time_us: micros(endUnixNano - startUnixNano),
          start_offset_us: micros(startUnixNano - startNano),
          end_offset_us: micros(endUnixNano - startNano),
        })),
      },
      lists: ["longest", "segments"],
      rest: "raise budget",
    };
  },
});
