import { isErrorSpan, parentIdOf, spanDurationUs } from "./span-facts.ts";
import type { ApiSpan, ApiTrace } from "./trace-schema.ts";
import { withStarts } from "./with-starts.ts";

/** Span counts of one service in a trace. */
export interface ServiceCount {
  name: string;
  spans: number;
  /** Number of failed spans of the service. */
  errors: number;
}

/** The row of a trace in the result list. */
export interface TraceSummary {
  traceId: string;
  /** Start of the trace, microseconds since 1970. */
  startUs: number;
  /** Duration from the earliest start to the latest end, microseconds. */
  durationUs: number;
  /** Service of the root, or of the span that replaces a missing root. */
  rootService: string;
  /** Operation of the root, or of the span that replaces a missing root. */
  rootOperation: string;
  /** True when the root is real: it has no parent reference. */
  rootFound: boolean;
  spans: number;
  errors: number;
  /** Services of the trace, most spans first. */
  services: readonly ServiceCount[];
  /** Values of the requested columns on matching spans, each once. */
  values?: Readonly<Record<string, readonly string[]>>;
}

/** Summarises one search result, so that its spans need not stay in memory. */
export function summariseTrace(trace: ApiTrace): TraceSummary {
  let startUs = Number.POSITIVE_INFINITY;
  let endUs = 0;
  let errors = 0;
  let root: ApiSpan | undefined;
  const services = new Map<string, ServiceCount>();
  const serviceOf = (span: ApiSpan) => trace.processes[span.processID]?.serviceName ?? "(unknown service)";

  for (const span of withStarts(trace.spans)) {
    startUs = Math.min(startUs, span.startTime);
    endUs = Math.max(endUs, span.startTime + spanDurationUs(span));
    const failed = isErrorSpan(span) ? 1 : 0;
    errors += failed;
    const name = serviceOf(span);
    const count = services.get(name) ?? { name, spans: 0, errors: 0 };
    count.spans += 1;
    count.errors += failed;
    services.set(name, count);
    if (root === undefined || isBetterRoot(span, root)) {
      root = span;
    }
  }
  return {
    traceId: trace.traceID,
    startUs: root === undefined ? 0 : startUs,
    durationUs: root === undefined ? 0 : endUs - startUs,
    rootService: root === undefined ? "" : serviceOf(root),
    rootOperation: root?.operationName ?? "(no spans)",
    rootFound: root !== undefined && parentIdOf(root) === undefined,
    spans: trace.spans.length,
    errors,
    services: [...services.values()].sort((a, b) => b.spans - a.spans || (a.name < b.name ? -1 : 1)),
  };
}

/**
 * True when `span` is the better root: a span without a parent beats a span with a missing parent, else the earlier
 * span wins.
 */
function isBetterRoot(span: ApiSpan, than: ApiSpan): boolean {
  const orphan = parentIdOf(span) !== undefined;
  const thanOrphan = parentIdOf(than) !== undefined;
  return orphan === thanOrphan ? span.startTime < than.startTime : thanOrphan;
}
