import type {
  ComparedAttribute,
  ComparedOperation,
  PopulationComparison,
  PopulationComparisonQuery,
  PopulationSums,
  SpanSelection,
  TimeRange,
} from "./analysis-reader.ts";
import { checkCount, checkRange } from "./checked-analysis.ts";
import { checkSearch } from "./checked-query.ts";
import { StorageError } from "./storage-error.ts";

const maxSampledSpans = 200_000;
const maxRows = 1_000;

/** Most spans whose attributes are read on each side, by default. */
const defaultSampledSpans = 20_000;

/** Parts of a side's time from which its sample is taken: a sample covers all of the time, not its end alone. */
const stripes = 60n;

/** Least spans of a group and of its remainder; with fewer, the group explains nothing. */
export const fewestSpans = 20;

/** @returns the most spans of a sample. @throws StorageError STORAGE_BAD_QUERY */
export function checkPopulations({ a, b, limit, maxSpans }: PopulationComparisonQuery): number {
  checkCount("limit", limit, maxRows);
  const most = maxSpans ?? defaultSampledSpans;
  checkCount("maxSpans", most, maxSampledSpans);
  for (const side of [a, b]) {
    checkSearch({ ...side, limit: 1 });
    if (side.query !== undefined && side.query.type !== "search") {
      throw new StorageError("STORAGE_BAD_QUERY", "the query is one for metrics");
    }
    checkRange(timeOfPopulation(side));
  }
  return most;
}

/** When the spans of a side start. @throws StorageError STORAGE_BAD_QUERY when a time is absent */
export function timeOfPopulation(side: SpanSelection): TimeRange {
  const { startTimeMinUnixNano: startUnixNano, startTimeMaxUnixNano: endUnixNano } = side;
  if (startUnixNano === undefined || endUnixNano === undefined) {
    throw new StorageError("STORAGE_BAD_QUERY", "a side of the comparison has no times");
  }
  return { startUnixNano, endUnixNano };
}

/** A sample of a time: of each stripe the end, from `skipNano` on. */
export interface Stripes {
  /** Start of the first stripe. */
  readonly startUnixNano: bigint;
  /** Length of a stripe in nanoseconds. */
  readonly stripeNano: bigint;
  /** Beginning of each stripe that is not read, in nanoseconds. */
  readonly skipNano: bigint;
}

/** The sample that has about `most` of a side's spans. @returns undefined when that is all of them */
export function stripesOf(range: TimeRange, spans: number, most: number): Stripes | undefined {
  if (spans <= most) {
    return undefined;
  }
  const stripeNano = (range.endUnixNano - range.startUnixNano) / stripes + 1n;
  const skipNano = (stripeNano * BigInt(spans - most)) / BigInt(spans);
  return { startUnixNano: range.startUnixNano, stripeNano, skipNano };
}

/** The same choice as `sampleCondition` makes in SQL. */
export function isInSample(startUnixNano: bigint, stripes: Stripes | undefined): boolean {
  return (
    stripes === undefined || (startUnixNano - stripes.startUnixNano) % stripes.stripeNano >= stripes.skipNano
  );
}

/** Duration per span of the side, where there are spans. */
export function meanNano({ durationNano, spans }: PopulationSums): number {
  return spans > 0 ? durationNano / spans : 0;
}

/**
 * The share of the difference of both means that would be gone without the spans of a group, 0 to 1. It is 0 when the
 * group, or what remains, has too few spans to say so.
 */
export function explainedShare(
  one: { readonly a: PopulationSums; readonly b: PopulationSums },
  all: { readonly a: PopulationSums; readonly b: PopulationSums },
): number {
  const [restA, restB] = [without(all.a, one.a), without(all.b, one.b)];
  const difference = meanNano(all.a) - meanNano(all.b);
  const isFew =
    one.a.spans + one.b.spans < fewestSpans || restA.spans < fewestSpans || restB.spans < fewestSpans;
  if (isFew || difference === 0) {
    return 0;
  }
  const explained = 1 - (meanNano(restA) - meanNano(restB)) / difference;
  return Math.min(1, Math.max(0, explained));
}

function without(all: PopulationSums, one: PopulationSums): PopulationSums {
  return {
    spans: all.spans - one.spans,
    errors: all.errors - one.errors,
    durationNano: all.durationNano - one.durationNano,
  };
}

/** The weight of a value: the difference of its shares, or the share of the difference that it explains. */
export function attributeScore(
  one: Pick<ComparedAttribute, "a" | "b">,
  sample: PopulationComparison["sample"],
): number {
  const share = (sums: PopulationSums, of: PopulationSums) => (of.spans === 0 ? 0 : sums.spans / of.spans);
  const shares = Math.abs(share(one.a, sample.a) - share(one.b, sample.b));
  return Math.max(shares, explainedShare(one, sample));
}

/** The attributes of the largest weight first; those without weight are left out. */
export function rankedAttributes(
  found: readonly ComparedAttribute[],
  sample: PopulationComparison["sample"],
  limit: number,
): ComparedAttribute[] {
  const text = ({ place, key, value }: ComparedAttribute) => JSON.stringify([place, key, value]);
  return found
    .map((one) => ({ one, score: attributeScore(one, sample) }))
    .filter(({ score }) => score > 0)
    .sort((x, y) => y.score - x.score || (text(x.one) < text(y.one) ? -1 : 1))
    .slice(0, limit)
    .map(({ one }) => one);
}

/** The operations whose time per span of their side changed most. */
export function rankedOperations(
  found: readonly ComparedOperation[],
  all: { readonly a: PopulationSums; readonly b: PopulationSums },
  limit: number,
): ComparedOperation[] {
  const change = ({ a, b }: ComparedOperation) =>
    Math.abs(a.durationNano / Math.max(1, all.a.spans) - b.durationNano / Math.max(1, all.b.spans));
  const text = ({ service, operation, spanKind }: ComparedOperation) =>
    JSON.stringify([service, operation, spanKind]);
  return found.toSorted((x, y) => change(y) - change(x) || (text(x) < text(y) ? -1 : 1)).slice(0, limit);
}
