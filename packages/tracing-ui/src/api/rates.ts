import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readJson } from "./read-json.ts";

/**
 * The answer of `GET /metrics/rates`. A point of a curve is `[step, calls, errors, p50, p95, p99]`; steps without calls
 * are omitted.
 */
const answer = z.object({
  total: z.number(),
  /** Start of the first step, milliseconds since 1970. */
  start: z.number(),
  /** Milliseconds of one step. */
  step: z.number(),
  /** Number of steps of each curve. */
  steps: z.number(),
  names: z.array(
    z.object({
      name: z.string(),
      ...{ calls: z.number(), errors: z.number(), p50: z.number(), p95: z.number(), p99: z.number() },
      curve: z.array(z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()])),
    }),
  ),
});

type Answer = z.infer<typeof answer>;

/** Values at the times of a `Rates`; null for times without calls. */
export type Samples = readonly (number | null)[];

/** Calls, failures and durations of a service or operation, as curves and in total. */
export interface RateRow {
  /** Name of the service. */
  service: string;
  /** Name of the operation; "" for the whole service. */
  operation: string;
  /** Calls per second. */
  calls: Samples;
  /** Fraction of failed calls, 0 to 1. */
  errors: Samples;
  /** Median of the durations, in microseconds. */
  p50: Samples;
  /** 95th percentile, in microseconds. */
  p95: Samples;
  /** 99th percentile, in microseconds. */
  p99: Samples;
  /** Figures of the whole time range, in the same units. */
  whole: { calls: number; errors: number; p50: number; p95: number; p99: number };
}

/** A page of rates with common times. */
export interface Rates {
  /** Ends of the steps in milliseconds since 1970, ascending. */
  times: readonly number[];
  /** Rows of this page, in the requested order. */
  rows: readonly RateRow[];
  /** Number of rows on all pages. */
  total: number;
}

/** Sort order of the list: names from a to z, or the largest figure first. */
export type RateSort = "name" | "calls" | "errors" | "p50" | "p95" | "p99";

/** The requested rates. */
export interface RatesAsked {
  /** Service whose operations are listed; absent for a list of services. */
  service?: string | undefined;
  /** Names to list; absent for all. */
  names?: readonly string[] | undefined;
  /** Part of the name. */
  contains?: string | undefined;
  /** Sort order of the rows; absent for the server's default. */
  sort?: RateSort | undefined;
  /** Page number, from 1. */
  page?: number | undefined;
  /** End of the range, milliseconds since 1970. */
  endMs: number;
  /** Milliseconds of the range. */
  lookbackMs: number;
  /** Counted spans: `served`: server and consumer spans; `all`: all spans. */
  kinds: "served" | "all";
}

/** Number of rows per page; more than a screen shows, and few enough to render at once. */
export const ratesPerPage = 100;

/** Span kinds to count; a served call is a span of the called service. */
const kindsOf = {
  served: ["server", "consumer"],
  all: ["server", "consumer", "client", "producer", "internal", "unspecified"],
};

/** Approximate number of points of a curve. More are not visible in a chart of a few hundred pixels. */
const points = 48;

/** Minimum step: the store counts by minute. */
const minuteMs = 60_000;

/** Milliseconds of one step, whole minutes. Example: a lookback of an hour gives 120 000, of a day 1 800 000. */
export function stepMs(lookbackMs: number): number {
  return Math.max(minuteMs, Math.ceil(lookbackMs / points / minuteMs) * minuteMs);
}

/** Rates, errors and durations of a page of names. @throws ApiError with status 501 when the server has no metrics */
export function ratesQuery(asked: RatesAsked) {
  return queryOptions({
    queryKey: ["rates", asked],
    queryFn: async ({ signal }): Promise<Rates> =>
      ratesOf(await readJson(`api/metrics/rates?${rateParameters(asked)}`, answer, signal), asked),
    staleTime: 30_000,
  });
}

/** Maximum number of characters of all names in one request, because they are part of its URL. */
const mostLetters = 3_000;
/** Maximum number of names in one request, as the server accepts. More names need several requests. */
const mostNames = 100;

/** Splits names into lists that each fit in a request, keeping the order. */
export function chunksOfNames(names: readonly string[]): readonly string[][] {
  const chunks: string[][] = [];
  let letters = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const length = encodeURIComponent(name).length + "&name=".length;
    const last = chunks.at(-1);
    if (last === undefined || letters + length > mostLetters || last.length === mostNames) {
      chunks.push([name]);
      letters = length;
    } else {
      last.push(name);
      letters += length;
    }
  }
  return chunks;
}

/** The parameters of the request; zero offsets and empty filters are omitted. */
function rateParameters(asked: RatesAsked): URLSearchParams {
  const { service, names, contains = "", sort, page = 1, endMs, lookbackMs, kinds } = asked;
  const parameters = new URLSearchParams();
  if (service !== undefined) {
    parameters.set("service", service);
  }
  for (const name of names ?? []) {
    parameters.append("name", name);
  }
  for (const kind of kindsOf[kinds]) {
    parameters.append("spanKind", kind);
  }
  if (contains !== "") {
    parameters.set("contains", contains);
  }
  if (sort !== undefined) {
    parameters.set("order", sort);
  }
  parameters.set("endTs", String(endMs));
  parameters.set("lookback", String(lookbackMs));
  parameters.set("step", String(stepMs(lookbackMs)));
  parameters.set("limit", String(ratesPerPage));
  if (page > 1) {
    parameters.set("offset", String((page - 1) * ratesPerPage));
  }
  return parameters;
}

/**
 * Converts the page to curves with common times: null for steps without calls. Counts become rates per second, failures
 * a fraction.
 */
export function ratesOf(
  { total, start, step, steps, names }: Answer,
  { service, endMs, lookbackMs }: Pick<RatesAsked, "service" | "endMs" | "lookbackMs">,
): Rates {
  const times = Array.from({ length: steps }, (_, index) => Math.min(start + (index + 1) * step, endMs));
  const rows = names.map(({ name, curve, calls, errors, p50, p95, p99 }): RateRow => {
    const samples = () => Array.from({ length: steps }, (): number | null => null);
    const curves = { calls: samples(), errors: samples(), p50: samples(), p95: samples(), p99: samples() };
    for (const [index, called, failed, ...durations] of curve) {
      // The end of the range may cut the last step.
      const seconds = ((times[index] ?? endMs) - (start + index * step)) / 1_000;
      curves.calls[index] = called / seconds;
      curves.errors[index] = failed / called;
      [curves.p50[index], curves.p95[index], curves.p99[index]] = durations;
    }
    const whole = {
      calls: calls / (lookbackMs / 1_000),
      errors: calls === 0 ? 0 : errors / calls,
      p50,
      p95,
      p99,
    };
    return { service: service ?? name, operation: service === undefined ? "" : name, ...curves, whole };
  });
  return { times, rows, total };
}
