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

/** Default of `maxSpans`: number of spans on each side whose attributes are read. */
const defaultSampledSpans = 20_000;

/**
 * Number of stripes of a side's time range. A sample reads a piece of each stripe, so that it covers the whole range.
 */
const stripes = 60n;

/** Minimum number of spans in a group, and of spans outside the group. With fewer spans, the group explains nothing. */
export const fewestSpans = 20;

/** @returns maximum number of spans of a sample. @throws StorageError STORAGE_BAD_QUERY */
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

/** Time range in which the spans of a side start. @throws StorageError STORAGE_BAD_QUERY when a time is absent */
export function timeOfPopulation(side: SpanSelection): TimeRange {
  const { startTimeMinUnixNano: startUnixNano, startTimeMaxUnixNano: endUnixNano } = side;
  if (startUnixNano === undefined || endUnixNano === undefined) {
    throw new StorageError("STORAGE_BAD_QUERY", "a side of the comparison has no times");
  }
  return { startUnixNano, endUnixNano };
}

/** A sample of a time range: the range is divided into stripes, and the first `skipNano` of each stripe are skipped. */
export interface Stripes {
  /** Start of the first stripe. */
  readonly startUnixNano: bigint;
  /** Nanoseconds of one stripe. */
  readonly stripeNano: bigint;
  /** Nanoseconds at the start of each stripe whose spans are skipped. */
  readonly skipNano: bigint;
}

/**
 * Stripes that select about `most` of a side's spans. @returns undefined when `most` or fewer spans exist, so that all
 * are read
 */
export function stripesOf(range: TimeRange, spans: number, most: number): Stripes | undefined {
  if (spans <= most) {
    return undefined;
  }
  const stripeNano = (range.endUnixNano - range.startUnixNano) / stripes + 1n;
  const skipNano = (stripeNano * BigInt(spans - most)) / BigInt(spans);
  return { startUnixNano: range.startUnixNano, stripeNano, skipNano };
}

/** True when the sample contains the span. `sampleCondition` makes the same choice in SQL. */
export function isInSample(startUnixNano: bigint, stripes: Stripes | undefined): boolean {
  return (
    stripes === undefined || (startUnixNano - stripes.startUnixNano) % stripes.stripeNano >= stripes.skipNano
  );
}

/** Mean duration of a side's spans in nanoseconds; 0 without spans. */
export function meanNano({ durationNano, spans }: PopulationSums): number {
  return spans > 0 ? durationNano / spans : 0;
}

/**
 * The part of the difference between both means that disappears without the spans of a group, 0 to 1. The result is 0
 * when the group has too few spans, or too few spans remain.
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

/** Score of an attribute value: the difference between its two shares, or its explained share if that is greater. */
export function attributeScore(
  one: Pick<ComparedAttribute, "a" | "b">,
  sample: PopulationComparison["sample"],
): number {
  const share = (sums: PopulationSums, of: PopulationSums) => (of.spans === 0 ? 0 : sums.spans / of.spans);
  const shares = Math.abs(share(one.a, sample.a) - share(one.b, sample.b));
  return Math.max(shares, explainedShare(one, sample));
}

/** Attributes by score, highest first. Attributes with score 0 are left out. */
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

/** Operations whose time per span of their side changed most, largest change first. */
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
