import type { SpanKind } from "wire/model";
import { type AdjustedCounts, AdjustedSum, countOf } from "./adjusted-counts.ts";
import { checkTexts } from "./checked-query.ts";
import { quantileNano } from "./duration-buckets.ts";
import { StorageError } from "./storage-error.ts";

const minuteMs = 60_000;
/** Most names of one answer. */
const mostNames = 200;
/** Most steps of a curve; each name has one figure for each step. */
const mostSteps = 500;
/** Names before the page: a store sorts all of them to find it. */
const mostSkipped = 1_000_000;

/** The order of names: alphabetical, or by a figure, largest first. */
export const rateOrders = ["name", "calls", "errors", "p50", "p95", "p99"] as const;
/** See `rateOrders`; `errors` is the share of calls that failed. */
export type RateOrder = (typeof rateOrders)[number];

/** A page of services, or of the operations of one service, ranked by how they are called. */
export interface RankedRatesQuery {
  /** The service whose operations are ranked; absent: services are ranked. */
  readonly service?: string | undefined;
  /** Exactly these names; all names when it is absent. */
  readonly only?: readonly string[] | undefined;
  /** A part of the name, in upper or lower case; "" is part of all names. */
  readonly contains: string;
  /** At least one. */
  readonly spanKinds: readonly SpanKind[];
  /** Whole minutes, milliseconds since the Unix epoch; half open. */
  readonly startUnixMs: number;
  /** End of the time, exclusive. */
  readonly endUnixMs: number;
  /** Whole minutes; the last step may end early. */
  readonly stepMs: number;
  /** Figure that ranks the names. */
  readonly order: RateOrder;
  /** Most names of the page, 1 to 200. */
  readonly limit: number;
  /** Number of names before the page. */
  readonly offset: number;
  /** True: figures also say what sampled spans stand for; the order stays that of the stored spans. */
  readonly adjusted?: boolean | undefined;
}

/** Figures of what sampled spans stand for. */
export interface AdjustedFigures extends Omit<AdjustedCounts, "adjusted"> {
  /** Number of calls. */
  readonly calls: number;
  /** Number of those that failed. */
  readonly errors: number;
  /** Durations in milliseconds, of all calls that the spans stand for. */
  readonly p50Ms: number;
  /** 95th percentile of the duration in milliseconds. */
  readonly p95Ms: number;
  /** 99th percentile of the duration in milliseconds. */
  readonly p99Ms: number;
}

/** The number of calls, with failures and durations. */
export interface RateFigures {
  /** Number of calls. */
  readonly calls: number;
  /** Number of those that failed. */
  readonly errors: number;
  /** Durations in milliseconds, right within a tenth and never above the longest. */
  readonly p50Ms: number;
  /** 95th percentile of the duration in milliseconds. */
  readonly p95Ms: number;
  /** 99th percentile of the duration in milliseconds. */
  readonly p99Ms: number;
  /** Present when the query asked for it, and the source of the figures knows. */
  readonly adjusted?: AdjustedFigures | undefined;
}

/** One service or operation. */
export interface RatedName {
  /** Service, or operation of one service. */
  readonly name: string;
  /** Figures of the whole time range. */
  readonly whole: RateFigures;
  /** Figures of each step from the start; undefined for a step without calls. */
  readonly steps: readonly (RateFigures | undefined)[];
}

/** A page of names, and how many there are. Names that were not called in the time are in none. */
export interface RankedRates {
  /** Number of names on all pages. */
  readonly matched: number;
  /** Names in the asked order. */
  readonly names: readonly RatedName[];
}

/**
 * Calls of one name. The lists have the same length, and their entries at one index belong together. Entries of the same
 * step and bucket are summed.
 */
export interface NameCounts {
  /** Service, or operation of one service. */
  readonly name: string;
  /** Index of the step. */
  readonly steps: readonly number[];
  /** See `durationBucket`. */
  readonly buckets: readonly number[];
  /** Calls of each step. */
  readonly calls: readonly number[];
  /** Failed calls of each step. */
  readonly errors: readonly number[];
  /** The number of calls that each call stands for, 0 when unknown. Present when the query asked for it. */
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
 * Makes the figures of a page.
 * @param page names in the order of their rank; names of equal rank stay in this order
 * @param counts of at least these names; each name once
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
  // A store may rank by the bucket of a quantile; within one bucket the figures decide.
  return rated.sort((one, other) => rankOf(query.order, other.whole) - rankOf(query.order, one.whole));
}

/** The figure that a name is ranked by; larger comes first. */
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
  /** Number of spans. */
  readonly calls: number;
  /** Number of those that failed. */
  readonly errors: number;
  /** The number of spans that each span stands for; 0: unknown. */
  readonly each: number;
}

/** Sums of what spans stand for. */
interface AdjustedSums {
  /** Calls. */
  readonly calls: AdjustedSum;
  /** Failed calls. */
  errors: number;
  /** Calls by bucket. */
  readonly durations: Map<number, number>;
}

class Sum {
  #calls = 0;
  #errors = 0;
  /** Calls by bucket. Few steps of a name have more than a dozen. */
  readonly #durations = new Map<number, number>();
  readonly #adjusted: AdjustedSums | undefined;

  /** @param isAdjusted whether it also sums what spans stand for */
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
