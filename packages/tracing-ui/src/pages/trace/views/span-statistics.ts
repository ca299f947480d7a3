import { selfTimes } from "../../../trace/self-times.ts";
import { quantile } from "../../../trace/sibling-runs.ts";
import { spanFlag, type Trace } from "../../../trace/trace.ts";
import type { ApiAttribute, ApiSpan } from "../../../trace/trace-schema.ts";

/** The figures of a group of spans. Durations are in microseconds. */
export interface SpanStatistics {
  /** The common value of the spans: a name, or the value of an attribute. */
  name: string;
  /** Index of the service when all spans have the same service, otherwise −1. */
  service: number;
  /** Index of the first span, in the order of the trace. */
  first: number;
  /** Number of the spans. */
  count: number;
  /** Number of failed spans. */
  errors: number;
  /** Sum of the durations. It may exceed the duration of the trace, because spans overlap. */
  totalUs: number;
  /** Sum of the self times: durations without the time of children. */
  selfUs: number;
  /** Shortest duration. */
  leastUs: number;
  /** Median duration. */
  medianUs: number;
  /** 95th percentile of the durations. */
  p95Us: number;
  /** Longest duration. */
  mostUs: number;
}

/**
 * The figures of a trace's spans.
 * @param by `operation`, `service`, or the key of an attribute of the spans or their resources
 */
export function spanStatistics(trace: Trace, by: string): SpanStatistics[] {
  const members = new Map<string, number[]>();
  for (let span = 0; span < trace.spans.length; span += 1) {
    const key = keyOf(trace, span, by);
    const own = members.get(key);
    if (own === undefined) {
      members.set(key, [span]);
    } else {
      own.push(span);
    }
  }
  return [...members.values()].map((spans) => statisticsOf(trace, spans, by));
}

/** Keys of attributes, the most frequent first. */
export interface AttributeKeys {
  /** Keys of the spans' own attributes. */
  spans: readonly string[];
  /** Keys of their resources, such as host and instance, without those that spans have, too. */
  resources: readonly string[];
}

/** The attribute keys of a trace. @param most maximum number of keys in each list */
export function attributeKeys(trace: Trace, most: number): AttributeKeys {
  const spans = keysOf(trace.spans, most);
  const known = new Set(spans);
  const resources = keysOf(Object.values(trace.processes), most).filter((key) => !known.has(key));
  return { spans, resources };
}

/** The keys of the owners' attributes, the most frequent first. */
function keysOf(owners: readonly Pick<ApiSpan, "tags">[], most: number): string[] {
  const counts = new Map<string, number>();
  for (const { tags } of owners) {
    for (const { key } of tags ?? []) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([key]) => key);
}

/** The value by which a span is grouped. */
function keyOf(trace: Trace, span: number, by: string): string {
  const service = String(trace.service[span]);
  if (by === "service") {
    return service;
  }
  if (by === "operation") {
    return `${service} ${trace.spans[span]?.operationName}`;
  }
  return attributeText(trace, span, by) ?? "\0";
}

/** An attribute of a span, or else of its resource, as text; undefined when both lack the attribute. */
function attributeText(trace: Trace, span: number, key: string): string | undefined {
  const { tags, processID = "" } = trace.spans[span] ?? {};
  const isOne = (attribute: ApiAttribute) => attribute.key === key;
  const tag = tags?.find(isOne) ?? trace.processes[processID]?.tags?.find(isOne);
  return tag === undefined ? undefined : String(tag.value);
}

/** The figures of one group. Cost: one sort of the durations. */
function statisticsOf(trace: Trace, spans: readonly number[], by: string): SpanStatistics {
  const self = selfTimes(trace);
  const first = spans[0] as number;
  const durations = Float64Array.from(spans, (span) => trace.spanUs[span] as number).sort();
  const service = trace.service[first] as number;
  const ofOne =
    by === "operation" || by === "service" || spans.every((span) => trace.service[span] === service);
  return {
    name: nameOf(trace, first, by),
    service: ofOne ? service : -1,
    first,
    count: spans.length,
    errors: spans.filter((span) => ((trace.flags[span] as number) & spanFlag.error) !== 0).length,
    totalUs: durations.reduce((sum, us) => sum + us, 0),
    selfUs: spans.reduce((sum, span) => sum + (self[span] as number), 0),
    leastUs: durations[0] as number,
    medianUs: quantile(durations, 0.5),
    p95Us: quantile(durations, 0.95),
    mostUs: durations.at(-1) as number,
  };
}

/** The name of a group, read from the group's first span. */
function nameOf(trace: Trace, span: number, by: string): string {
  if (by === "service") {
    return trace.services[trace.service[span] as number] ?? "";
  }
  if (by === "operation") {
    return trace.spans[span]?.operationName ?? "";
  }
  return attributeText(trace, span, by) ?? "(without it)";
}
