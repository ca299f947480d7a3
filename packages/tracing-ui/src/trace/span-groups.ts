import { selfTimes } from "./self-times.ts";
import { spanFlag, type Trace } from "./trace.ts";

/** Spans of one service and operation with the same call path. */
export interface SpanGroup {
  /** Index of the parent group, −1 for a group of roots. */
  parent: number;
  /** Index of the service in `trace.services`. */
  service: number;
  /** Name of the operation. */
  operation: string;
  /** Index of the first span. */
  first: number;
  /** Number of the spans. */
  count: number;
  /** Failed spans. */
  errors: number;
  /** Sum of the durations, microseconds. */
  totalUs: number;
  /** Sum of the self times, microseconds. */
  selfUs: number;
  /** Sum of the self times of the group and all groups below, microseconds. */
  weightUs: number;
  /** Depth in the tree, 0 for a group of roots. */
  depth: number;
}

/** Groups the spans of a trace by call path. A group comes before the groups below it. */
export function groupSpans(trace: Trace): { groups: SpanGroup[]; groupOf: Int32Array } {
  const self = selfTimes(trace);
  const groups: SpanGroup[] = [];
  const groupOf = new Int32Array(trace.spans.length);
  const known = new Map<string, number>();
  for (let span = 0; span < trace.spans.length; span += 1) {
    const up = trace.parent[span] as number;
    const parent = up === -1 ? -1 : (groupOf[up] as number);
    const service = trace.service[span] as number;
    const operation = trace.spans[span]?.operationName ?? "";
    const key = `${parent} ${service} ${operation}`;
    let at = known.get(key);
    if (at === undefined) {
      at = groups.length;
      known.set(key, at);
      const depth = parent === -1 ? 0 : (groups[parent]?.depth ?? 0) + 1;
      groups.push({
        ...{ parent, service, operation, first: span, depth },
        ...{ count: 0, errors: 0, totalUs: 0, selfUs: 0, weightUs: 0 },
      });
    }
    groupOf[span] = at;
    const group = groups[at] as SpanGroup;
    group.count += 1;
    group.errors += ((trace.flags[span] as number) & spanFlag.error) !== 0 ? 1 : 0;
    group.totalUs += trace.spanUs[span] as number;
    group.selfUs += self[span] as number;
  }
  for (let at = groups.length - 1; at >= 0; at -= 1) {
    const group = groups[at] as SpanGroup;
    group.weightUs += group.selfUs;
    const above = groups[group.parent];
    if (above !== undefined) {
      above.weightUs += group.weightUs;
    }
  }
  return { groups, groupOf };
}
