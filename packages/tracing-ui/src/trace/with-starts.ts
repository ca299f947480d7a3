import { parentIdOf } from "./span-facts.ts";
import type { ApiSpan } from "./trace-schema.ts";

/** Warning on a span whose start is a guess. */
const noStart = "The span has no start time. It is drawn at the start of its parent, or of the trace.";

/** The end of 1970 in microseconds. A trace that begins earlier has made-up times, of which 0 may be one. */
const firstYearUs = 365 * 86_400e6;

/**
 * Gives each span without a start (0 or less) the start of its nearest ancestor that has one, else the start of the
 * trace. Otherwise the trace would last from 1970. Such spans get a warning. A trace that begins in 1970 stays as it
 * is.
 * @returns the same list when every span has a start, which is nearly always
 */
export function withStarts(spans: readonly ApiSpan[]): readonly ApiSpan[] {
  let earliest = Number.POSITIVE_INFINITY;
  let lacking = 0;
  for (const { startTime } of spans) {
    if (startTime > 0) {
      earliest = Math.min(earliest, startTime);
    } else {
      lacking += 1;
    }
  }
  if (lacking === 0 || lacking === spans.length || earliest < firstYearUs) {
    return spans;
  }
  const byId = new Map(spans.map((span) => [span.spanID, span]));
  return spans.map((span) => {
    if (span.startTime > 0) {
      return span;
    }
    const startTime = ancestorStart(span, byId) ?? earliest;
    return { ...span, startTime, warnings: [...(span.warnings ?? []), noStart] };
  });
}

/** Start of the nearest ancestor that has one; undefined without such an ancestor, and in a cycle of parents. */
function ancestorStart(span: ApiSpan, byId: ReadonlyMap<string, ApiSpan>): number | undefined {
  const seen = new Set<ApiSpan>();
  let above: ApiSpan | undefined = span;
  while (above !== undefined && above.startTime <= 0 && !seen.has(above)) {
    seen.add(above);
    above = byId.get(parentIdOf(above) ?? "");
  }
  return above !== undefined && above.startTime > 0 ? above.startTime : undefined;
}
