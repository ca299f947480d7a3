import { adjustedCount, type Span } from "wire/model";
import { AdjustedSum } from "../../api/adjusted-counts.ts";
import type { CallCount } from "../../api/call-counts.ts";
import type { DependencyLink, DependencyQuery } from "../../api/dependency-reader.ts";
import { callBucket, durationOfCallBucket } from "../../api/duration-buckets.ts";
import { checkedCountMinutes, type SpanCountQuery } from "../../api/span-counts.ts";

const minuteNano = 60_000_000_000n;

/** Computes the links between services from traces. @param traces spans, grouped by trace */
export function dependenciesOf(traces: Iterable<readonly Span[]>, query: DependencyQuery): DependencyLink[] {
  const from = minuteOf(query.startUnixNano);
  const to = minuteOf(query.endUnixNano);
  const links = new Map<string, { parent: string; child: string; callCount: number; sum: AdjustedSum }>();
  for (const { parent, span } of callsOf(traces, from, to)) {
    const child = span.resource.serviceName;
    const key = JSON.stringify([parent, child]);
    const link = links.get(key) ?? { parent, child, callCount: 0, sum: new AdjustedSum() };
    links.set(key, link);
    link.callCount++;
    link.sum.add(1, adjustedCount(span));
  }
  return [...links.values()]
    .map(({ sum, ...link }) => ({
      ...{ ...link, source: "" },
      ...(query.adjusted === true ? { adjusted: sum.counts } : {}),
    }))
    .sort((one, other) => byBytes(one.parent, other.parent) || byBytes(one.child, other.child));
}

/** Counts calls between services. @param traces spans, grouped by trace */
export function callCountsOf(traces: Iterable<readonly Span[]>, query: SpanCountQuery): CallCount[] {
  const { startMinute, endMinute } = checkedCountMinutes(query);
  const counts = new Map<string, CallCount>();
  for (const { parent, span } of callsOf(traces, BigInt(startMinute), BigInt(endMinute) - 1n)) {
    const facts = {
      parent,
      child: span.resource.serviceName,
      spanKind: span.kind,
      failed: span.status.code === "error",
      durationNano: durationOfCallBucket(callBucket(span.durationNano)),
    };
    const key = JSON.stringify(Object.values(facts));
    counts.set(key, { ...facts, calls: (counts.get(key)?.calls ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** Spans that start within these minutes, both included, and that another service called. */
function* callsOf(
  traces: Iterable<readonly Span[]>,
  from: bigint,
  to: bigint,
): Generator<{ readonly parent: string; readonly span: Span }> {
  for (const spans of traces) {
    const byId = Map.groupBy(spans, ({ spanId }) => spanId);
    for (const span of spans) {
      const minute = minuteOf(span.startTimeUnixNano);
      if (minute < from || minute > to) {
        continue;
      }
      const parent = parentOf(span, byId)?.resource.serviceName;
      if (parent !== undefined && parent !== span.resource.serviceName) {
        yield { parent, span };
      }
    }
  }
}

/**
 * Finds the parent of a span. A client span and a server span may share an id. Then the client span is the parent of
 * the server span. Their children get the server span as parent.
 */
function parentOf(span: Span, byId: ReadonlyMap<string, readonly Span[]>): Span | undefined {
  if (span.kind === "server") {
    const client = byId.get(span.spanId)?.find(({ kind }) => kind === "client");
    if (client !== undefined) {
      return client;
    }
  }
  if (span.parentSpanId === "") {
    return undefined;
  }
  const parents = byId.get(span.parentSpanId);
  return parents?.find(({ kind }) => kind === "server") ?? parents?.[0];
}

function minuteOf(unixNano: bigint): bigint {
  return unixNano / minuteNano;
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
