import { lengthNano, type Span } from "wire/model";
import type {
  AnalysisReader,
  AttributeComparison,
  AttributeComparisonQuery,
  AttributeDifference,
  CriticalPathSums,
  DurationRank,
  DurationRankQuery,
  DurationRanks,
  DurationRanksQuery,
  HeatMap,
  HeatMapCell,
  HeatMapQuery,
  OperationSummary,
  PopulationComparison,
  PopulationComparisonQuery,
  Tail,
  TailQuery,
  TimeRange,
  TopOperationsQuery,
} from "../../api/analysis-reader.ts";
import { rankedDifferences } from "../../api/attribute-differences.ts";
import {
  checkComparison,
  checkDurationRank,
  checkDurationRanks,
  checkedCriticalPath,
  checkHeatMap,
  checkTail,
  checkTopOperations,
  columnNano,
} from "../../api/checked-analysis.ts";
import { tenantOf } from "../../api/checked-query.ts";
import { criticalPathSums } from "../../api/critical-path.ts";
import { durationBucket, quantileNano } from "../../api/duration-buckets.ts";
import { type OperationDurations, ranksOf } from "../../api/duration-ranks.ts";
import { firstOperations } from "../../api/operation-order.ts";
import { spanConditionOf } from "../../api/span-condition.ts";
import type { ReadOptions, SpanReader, TraceQuery } from "../../api/span-reader.ts";
import { comparePopulations } from "./compare-populations.ts";
import { distinctAttributes } from "./distinct-attributes.ts";
import { spanMatches } from "./span-matches.ts";
import type { StoredTenants } from "./stored-tenants.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";
import { spansOfSelection, spanTest } from "./traceql/spans-of-selection.ts";

const minuteNano = 60_000_000_000n;

/** Answers each query by reading every stored span. */
export class MemoryAnalysisReader implements AnalysisReader {
  readonly #stored: StoredTenants;
  readonly #reader: SpanReader;

  constructor(stored: StoredTenants, reader: SpanReader) {
    this.#stored = stored;
    this.#reader = reader;
  }

  async getHeatMap(query: HeatMapQuery, options: ReadOptions = {}): Promise<HeatMap> {
    checkHeatMap(query);
    const { range } = query;
    const width = columnNano(query);
    const cells = new Map<string, HeatMapCell>();
    const filter = {
      ...query,
      startTimeMinUnixNano: range.startUnixNano,
      startTimeMaxUnixNano: range.endUnixNano,
    };
    for (const span of this.#spans(options)) {
      if (!spanMatches(span, { ...filter, limit: 1 })) {
        continue;
      }
      const column = Number((span.startTimeUnixNano - range.startUnixNano) / width);
      const durationLog2 = span.durationNano <= 1n ? 0 : span.durationNano.toString(2).length - 1;
      const key = `${column}/${durationLog2}`;
      const { spans, errors } = cells.get(key) ?? { spans: 0, errors: 0 };
      cells.set(key, { column, durationLog2, spans: spans + 1, errors: errors + failures(span) });
    }
    const inOrder = [...cells.values()].sort(
      (one, other) => one.column - other.column || one.durationLog2 - other.durationLog2,
    );
    return { startUnixNano: range.startUnixNano, columnNano: width, cells: inOrder };
  }

  async compareAttributes(
    query: AttributeComparisonQuery,
    options: ReadOptions = {},
  ): Promise<AttributeComparison> {
    const maxSpans = checkComparison(query);
    throwIfAborted(options.signal);
    const traces = [...this.#stored.tracesOf(tenantOf(options)).traces()];
    const inSelection = spansOfSelection(traces, query.selection);
    const newest = (spans: readonly Span[]) =>
      [...spans]
        .sort((one, other) => (one.startTimeUnixNano > other.startTimeUnixNano ? -1 : 1))
        .slice(0, maxSpans);
    const selected = newest([...inSelection]);
    const others = newest(
      [...spansOfSelection(traces, query.background)].filter((span) => !inSelection.has(span)),
    );
    const differences = new Map<string, AttributeDifference>();
    for (const [side, ofSide] of [
      ["selected", selected],
      ["others", others],
    ] as const) {
      for (const span of ofSide) {
        for (const { place, key, value } of distinctAttributes(span)) {
          const id = JSON.stringify([place, key, value]);
          const counted = differences.get(id) ?? { key, value, place, selected: 0, others: 0 };
          differences.set(id, { ...counted, [side]: counted[side] + 1 });
        }
      }
    }
    return {
      selectedSpans: selected.length,
      otherSpans: others.length,
      differences: rankedDifferences([...differences.values()], selected.length, others.length, query.limit),
    };
  }

  async comparePopulations(
    query: PopulationComparisonQuery,
    options: ReadOptions = {},
  ): Promise<PopulationComparison> {
    throwIfAborted(options.signal);
    return comparePopulations([...this.#stored.tracesOf(tenantOf(options)).traces()], query);
  }

  async getDurationRank(
    query: DurationRankQuery,
    options: ReadOptions = {},
  ): Promise<DurationRank | undefined> {
    checkDurationRank(query);
    const { service, operation, spanKind, range, durationNano } = query;
    const durations: bigint[] = [];
    for (const span of this.#spans(options)) {
      if (span.resource.serviceName !== service || span.name !== operation) {
        continue;
      }
      if (spanKind !== undefined && span.kind !== spanKind) {
        continue;
      }
      if (span.startTimeUnixNano < range.startUnixNano || span.startTimeUnixNano > range.endUnixNano) {
        continue;
      }
      durations.push(lengthNano(span));
    }
    if (durations.length === 0) {
      return undefined;
    }
    durations.sort((one, other) => (one < other ? -1 : one === other ? 0 : 1));
    const at = (quantile: number) => Number(durations[Math.ceil(quantile * durations.length) - 1] ?? 0n);
    return {
      peers: durations.length,
      percentile: durations.filter((duration) => duration <= durationNano).length / durations.length,
      medianNano: at(0.5),
      p95Nano: at(0.95),
      p99Nano: at(0.99),
    };
  }

  async getDurationRanks(
    query: DurationRanksQuery,
    options: ReadOptions = {},
  ): Promise<(DurationRanks | undefined)[]> {
    checkDurationRanks(query);
    const [from, to] = minutesOf(query.range);
    const groups = new Map<string, OperationDurations & { readonly counts: Map<number, number> }>();
    for (const span of this.#spans(options)) {
      const minute = span.startTimeUnixNano / minuteNano;
      if (minute < from || minute > to) {
        continue;
      }
      const { name: operation, kind: spanKind } = span;
      const service = span.resource.serviceName;
      const key = JSON.stringify([service, operation, spanKind]);
      const group = groups.get(key) ?? { service, operation, spanKind, counts: new Map() };
      groups.set(key, group);
      const bucket = durationBucket(span.durationNano);
      group.counts.set(bucket, (group.counts.get(bucket) ?? 0) + 1);
    }
    return ranksOf(query.operations, [...groups.values()]);
  }

  async getTopOperations(query: TopOperationsQuery, options: ReadOptions = {}): Promise<OperationSummary[]> {
    checkTopOperations(query);
    const [from, to] = minutesOf(query.range);
    const groups = new Map<string, Span[]>();
    for (const span of this.#spans(options)) {
      const minute = span.startTimeUnixNano / minuteNano;
      if (minute < from || minute > to) {
        continue;
      }
      if (query.service && span.resource.serviceName !== query.service) {
        continue;
      }
      const key = JSON.stringify([span.resource.serviceName, span.name, span.kind]);
      groups.set(key, [...(groups.get(key) ?? []), span]);
    }
    const summaries = [...groups.values()].map((spans) => summaryOf(spans));
    return firstOperations(summaries, query);
  }

  async getCriticalPath(query: TraceQuery, options: ReadOptions = {}): Promise<CriticalPathSums> {
    return criticalPathSums(await this.#reader.findTraces(checkedCriticalPath(query), options));
  }

  async tail(query: TailQuery, options: ReadOptions = {}): Promise<Tail> {
    checkTail(query, /^\d{1,15}$/);
    throwIfAborted(options.signal);
    const stored = this.#stored.tracesOf(tenantOf(options));
    const condition = query.query && spanConditionOf(query.query);
    const isAsked = condition === undefined ? () => true : spanTest(condition);
    const cursor = query.upTo ?? String(stored.arrivals);
    if (query.cursor === undefined) {
      return { spans: [], skipped: 0, cursor };
    }
    const spans = stored
      .arrivedWithin(Number(query.cursor), Number(cursor))
      .filter((span) => spanMatches(span, query) && isAsked(span));
    return { spans: spans.slice(-query.limit), skipped: Math.max(0, spans.length - query.limit), cursor };
  }

  #spans(options: ReadOptions): Iterable<Span> {
    throwIfAborted(options.signal);
    return this.#stored.tracesOf(tenantOf(options)).spans();
  }
}

function minutesOf({ startUnixNano, endUnixNano }: TimeRange): [from: bigint, to: bigint] {
  return [startUnixNano / minuteNano, endUnixNano / minuteNano];
}

function failures({ status }: Span): number {
  return status.code === "error" ? 1 : 0;
}

function summaryOf(spans: readonly Span[]): OperationSummary {
  const buckets = new Map<number, number>();
  let durationNano = 0n;
  for (const span of spans) {
    const bucket = durationBucket(span.durationNano);
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    durationNano += lengthNano(span);
  }
  return {
    service: spans[0]?.resource.serviceName ?? "",
    operation: spans[0]?.name ?? "",
    spanKind: spans[0]?.kind ?? "unspecified",
    calls: spans.length,
    errors: spans.filter((span) => failures(span) === 1).length,
    durationNano: Number(durationNano),
    medianNano: quantileNano(buckets, 0.5),
    p95Nano: quantileNano(buckets, 0.95),
    p99Nano: quantileNano(buckets, 0.99),
  };
}
