import type { SpanKind } from "wire/model";
import { type AdjustedCounts, AdjustedSum, countOf } from "./adjusted-counts.ts";
import { checkTexts } from "./checked-query.ts";
import { quantileNano } from "./duration-buckets.ts";
import { StorageError } from "./storage-error.ts";

const minuteMs = 60_000;
/** Maximum number of names in one answer. A query for more is refused. */
const mostNames = 200;
/** Maximum number of steps of a curve; each name has figures for each step. */
const mostSteps = 500;
/**
 * Maximum number of names that may precede the page; a larger offset is refused. A store must sort all names up to the
 * page.
 */
const mostSkipped = 1_000_000;

/** Sort key of the names: alphabetical, or a figure with the largest value first. */
export const rateOrders = ["name", "calls", "errors", "p50", "p95", "p99"] as const;
/** See `rateOrders`; `errors` is the share of failed calls. */
export type RateOrder = (typeof rateOrders)[number];

/** Selects a page of services, or of operations of one service, ranked by their calls. */
export interface RankedRatesQuery {
  /** The service whose operations are ranked; absent: services themselves are ranked. */
  readonly service?: string | undefined;
  /** Only names in this list are ranked. Absent: all names. */
  readonly only?: readonly string[] | undefined;
  /** Text that the names must contain; upper and lower case are equal. "": all names. */
  readonly contains: string;
  /** Kinds of spans to count; at least one. */
  readonly spanKinds: readonly SpanKind[];
  /** Start of the time range in milliseconds since the Unix epoch, a whole minute; inclusive. */
  readonly startUnixMs: number;
  /** End of the time range, exclusive. */
  readonly endUnixMs: number;
  /** Milliseconds of one step: whole minutes. The last step may be shorter. */
  readonly stepMs: number;
  /** Sort key of the names. */
  readonly order: RateOrder;
  /** Maximum number of names on the page, 1 to 200. */
  readonly limit: number;
  /** Number of names before the page. */
  readonly offset: number;
  /** True: the answer also has figures adjusted for sampling. Names are still sorted by the figures of stored spans. */
  readonly adjusted?: boolean | undefined;
}

/** Figures adjusted for sampling: estimates for all original spans. */
export interface AdjustedFigures extends Omit<AdjustedCounts, "adjusted"> {
  /** Estimated number of all calls, failed ones included. */
  readonly calls: number;
  /** Estimated number of failed calls. */
  readonly errors: number;
  /** Median duration in milliseconds over all original calls. */
  readonly p50Ms: number;
  /** 95th percentile of the duration in milliseconds. */
  readonly p95Ms: number;
  /** 99th percentile of the duration in milliseconds. */
  readonly p99Ms: number;
}

/** The number of calls, with failures and durations. */
export interface RateFigures {
  /** Number of calls, failed ones included. */
  readonly calls: number;
  /** Number of failed calls. */
  readonly errors: number;
  /** Median duration in milliseconds, accurate to 10 % and never above the longest duration. */
  readonly p50Ms: number;
  /** 95th percentile of the duration in milliseconds. */
  readonly p95Ms: number;
  /** 99th percentile of the duration in milliseconds. */
  readonly p99Ms: number;
  /** Figures adjusted for sampling. Present if the query requests them and the store has them. */
  readonly adjusted?: AdjustedFigures | undefined;
}

/** One service or operation. */
export interface RatedName {
  /** Name of the service, or of the operation of one service. */
  readonly name: string;
  /** Figures of the whole time range. */
  readonly whole: RateFigures;
  /** Figures of each step, in order of time; undefined for a step without calls. */
  readonly steps: readonly (RateFigures | undefined)[];
}

/** A page of names with the total number of names. Names that have no calls in the time range are left out. */
export interface RankedRates {
  /** Number of names on all pages. */
  readonly matched: number;
  /** Names in the order of the query. */
  readonly names: readonly RatedName[];
}

/**
 * Calls of one name. The lists have the same length, and entries with the same index belong together. Entries of the
 * same step and bucket are summed.
 */
export interface NameCounts {
  /** Name of the service, or of the operation of one service. */
  readonly name: string;
  /** Step index of each entry. */
  readonly steps: readonly number[];
  /** Duration bucket of each entry, see `durationBucket`. */
  readonly buckets: readonly number[];
  /** Calls of each entry, at the entry's index; failed calls are included. */
  readonly calls: readonly number[];
  /** Failed calls of each entry, at the entry's index. */
  readonly errors: readonly number[];
  /** Number of original calls that each call of the entry represents; 0: unknown. Present if the query requests it. */
  readonly adjustedCounts?: readonly number[] | undefined;
}

/** Number of steps in the query's time range. */
export function stepCount({ startUnixMs, endUnixMs, stepMs }: RankedRatesQuery): number {
  return Math.ceil((endUnixMs - startUnixMs) / stepMs);
}

/** @throws StorageError STORAGE_BAD_QUERY for values that `RankedRatesQuery` does not allow */
export function checkRankedRates(query: RankedRatesQuery): void {
  const {
    service = "",
    only = [],
    contains,
    spanKinds,
    startUnixMs,
    endUnixMs,
    stepMs,
    limit,
    offset,
  } = query;
  checkTexts([service, contains, ...only]);
  if (spanKinds.length === 0) {
    throw badQuery("no kind of span is given");
  }
  if (
    ![startUnixMs, endUnixMs, stepMs].every((ms) => Number.isSafeInteger(ms / minuteMs)) ||
    startUnixMs < 0
  ) {
    throw badQuery("start, end and step must be whole minutes, and start not before 1970");
  }
  if (stepMs < minuteMs) {
    throw badQuery(`a step of ${stepMs} ms is less than a minute`);
  }
  if (endUnixMs <= startUnixMs) {
    throw badQuery("the end is not after the start");
  }
  if (stepCount(query) > mostSteps) {
    throw badQuery(`${stepCount(query)} steps are over the limit of ${mostSteps}`);
  }
  if (only.length > mostNames) {
    throw badQuery(`${only.length} names are over the limit of ${mostNames}`);
  }
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > mostNames) {
    throw badQuery(`limit ${limit} is not a whole number from 1 to ${mostNames}`);
  }
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > mostSkipped) {
    throw badQuery(`offset ${offset} is not a whole number from 0 to ${mostSkipped}`);
  }
}

/**
 * Computes the figures of a page.
 * @param page names in the order of their rank; names of equal rank keep this order
 * @param counts counts of the names on the page; each name occurs once
 */
export function ratedNames(
  query: RankedRatesQuery,
  page: readonly string[],
  counts: readonly NameCounts[],
): RatedName[] {
  const byName = new Map(counts.map((ofName) => [ofName.name, ofName]));
  const rated = page.flatMap((name) => {
    const ofName = byName.get(name);
    return ofName === undefined ? [] : [ratedName(ofName, stepCount(query))];
  });
  // A store may rank by the bucket of a quantile instead of the quantile. Within one bucket, the exact figures
  // determine the order.
  return rated.sort((one, other) => rankOf(query.order, other.whole) - rankOf(query.order, one.whole));
}

/** The value by which a name is ranked; larger values come first. */
export function rankOf(order: RateOrder, { calls, errors, p50Ms, p95Ms, p99Ms }: RateFigures): number {
  switch (order) {
    case "name":
      return 0;
    case "calls":
      return calls;
    case "errors":
      return calls === 0 ? 0 : errors / calls;
    case "p50":
      return p50Ms;
    case "p95":
      return p95Ms;
    case "p99":
      return p99Ms;
  }
}

function ratedName({ name, ...counts }: NameCounts, stepsOfAll: number): RatedName {
  const newSum = () => new Sum(counts.adjustedCounts !== undefined);
  const whole = newSum();
  const steps = Array.from({ length: stepsOfAll }, (): Sum | undefined => undefined);
  for (const [index, step] of counts.steps.entries()) {
    const entry: CountEntry = {
      bucket: counts.buckets[index] ?? 0,
      calls: counts.calls[index] ?? 0,
      errors: counts.errors[index] ?? 0,
      each: counts.adjustedCounts?.[index] ?? 0,
    };
    whole.add(entry);
    const own = steps[step] ?? newSum();
    own.add(entry);
    steps[step] = own;
  }
  return { name, whole: whole.figures(), steps: steps.map((sum) => sum?.figures()) };
}

/** Calls of one bucket. */
interface CountEntry {
  /** See `durationBucket`. */
  readonly bucket: number;
  /** Spans that the entry counts, failed ones included. */
  readonly calls: number;
  /** Number of failed spans. */
  readonly errors: number;
  /** Number of original spans that each span represents; 0: unknown. */
  readonly each: number;
}

/** Sums adjusted for sampling. */
interface AdjustedSums {
  /** Estimated number of calls. */
  readonly calls: AdjustedSum;
  /** Estimated number of failed calls. */
  errors: number;
  /** Estimated number of calls by duration bucket. */
  readonly durations: Map<number, number>;
}

class Sum {
  #calls = 0;
  #errors = 0;
  /** Calls by duration bucket. One step of a name rarely has calls in more than a dozen buckets. */
  readonly #durations = new Map<number, number>();
  readonly #adjusted: AdjustedSums | undefined;

  /** @param isAdjusted true: figures adjusted for sampling are summed too */
  constructor(isAdjusted: boolean) {
    this.#adjusted = isAdjusted ? { calls: new AdjustedSum(), errors: 0, durations: new Map() } : undefined;
  }

  add({ bucket, calls, errors, each }: CountEntry): void {
    this.#calls += calls;
    this.#errors += errors;
    this.#durations.set(bucket, (this.#durations.get(bucket) ?? 0) + calls);
    const adjusted = this.#adjusted;
    if (adjusted !== undefined) {
      adjusted.calls.add(calls, each);
      adjusted.errors += errors * countOf(each);
      adjusted.durations.set(bucket, (adjusted.durations.get(bucket) ?? 0) + calls * countOf(each));
    }
  }

  figures(): RateFigures {
    return {
      ...{ calls: this.#calls, errors: this.#errors },
      ...quantilesMs(this.#durations),
      ...(this.#adjusted === undefined ? {} : { adjusted: this.#adjustedFigures(this.#adjusted) }),
    };
  }

  #adjustedFigures({ calls, errors, durations }: AdjustedSums): AdjustedFigures {
    const { adjusted, ...known } = calls.counts;
    return { calls: adjusted, errors, ...quantilesMs(durations), ...known };
  }
}

function quantilesMs(durations: ReadonlyMap<number, number>): Pick<RateFigures, "p50Ms" | "p95Ms" | "p99Ms"> {
  const quantileMs = (quantile: number) => quantileNano(durations, quantile) / 1e6;
  return { p50Ms: quantileMs(0.5), p95Ms: quantileMs(0.95), p99Ms: quantileMs(0.99) };
}

function badQuery(message: string): StorageError {
  return new StorageError("STORAGE_BAD_QUERY", message);
}
