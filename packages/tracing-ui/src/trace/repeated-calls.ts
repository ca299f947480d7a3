import { leastRun } from "./sibling-runs.ts";
import type { Trace } from "./trace.ts";

/** An operation that single spans call many times, such as one query per item instead of one query for all items. */
export interface RepeatedCalls {
  /** Service of the callers, as index into the trace's services. */
  callerService: number;
  /** Operation of the callers. */
  callerOperation: string;
  /** Service of the calls, as index into the trace's services. */
  service: number;
  /** Operation of the calls. */
  operation: string;
  /** Number of calls by all callers that repeat the call. */
  calls: number;
  /** Number of callers that repeat the call. */
  callers: number;
  /** Number of calls by the caller with the most calls. */
  most: number;
  /** Time in which at least one of the calls ran, microseconds. Calls at the same time count once. */
  coveredUs: number;
  /** The covered time as a share of the trace, 0 to 1. */
  share: number;
  /** Index of the first call by the caller with the most calls. */
  first: number;
}

/** The operations that a span calls at least `leastRun` times, the largest share of the trace first. */
export function repeatedCalls(trace: Trace): readonly RepeatedCalls[] {
  const groups = new Map<string, { lists: number[][] }>();
  // By caller: its children, grouped by service and operation.
  const children = new Map<number, Map<string, number[]>>();
  for (let span = 0; span < trace.spans.length; span += 1) {
    const parent = trace.parent[span] as number;
    if (parent === -1) {
      continue;
    }
    const own = children.get(parent) ?? new Map<string, number[]>();
    children.set(parent, own);
    const key = `${trace.service[span]} ${trace.spans[span]?.operationName}`;
    const list = own.get(key);
    if (list === undefined) {
      own.set(key, [span]);
    } else {
      list.push(span);
    }
  }
  for (const [parent, own] of children) {
    for (const [key, list] of own) {
      if (list.length < leastRun) {
        continue;
      }
      const name = `${trace.service[parent]} ${trace.spans[parent]?.operationName}\n${key}`;
      const group = groups.get(name);
      if (group === undefined) {
        groups.set(name, { lists: [list] });
      } else {
        group.lists.push(list);
      }
    }
  }
  return [...groups.values()]
    .map(({ lists }) => summarise(trace, lists))
    .sort((a, b) => b.coveredUs - a.coveredUs || b.calls - a.calls);
}

/** The figures of one group; `lists` has the calls of each caller. */
function summarise(trace: Trace, lists: readonly (readonly number[])[]): RepeatedCalls {
  const longest = lists.reduce((a, b) => (b.length > a.length ? b : a));
  const first = longest[0] as number;
  const caller = trace.parent[first] as number;
  const coveredUs = covered(trace, lists.flat());
  return {
    callerService: trace.service[caller] as number,
    callerOperation: trace.spans[caller]?.operationName ?? "",
    service: trace.service[first] as number,
    operation: trace.spans[first]?.operationName ?? "",
    calls: lists.reduce((sum, list) => sum + list.length, 0),
    callers: lists.length,
    most: longest.length,
    coveredUs,
    share: trace.durationUs === 0 ? 0 : coveredUs / trace.durationUs,
    first,
  };
}

/** Time in which at least one of the spans ran, in microseconds. */
function covered(trace: Trace, spans: number[]): number {
  const { offsetUs, spanUs } = trace;
  let sum = 0;
  let endUs = Number.NEGATIVE_INFINITY;
  for (const span of spans.sort((a, b) => (offsetUs[a] as number) - (offsetUs[b] as number))) {
    const from = Math.max(offsetUs[span] as number, endUs);
    const to = (offsetUs[span] as number) + (spanUs[span] as number);
    if (to <= from) {
      continue;
    }
    sum += to - from;
    endUs = to;
  }
  return sum;
}
