import {
  type MetricSeries,
  type MetricsQuery,
  type RankedRates,
  type RankedRatesQuery,
  type RateFigures,
  type ReadOptions,
  rankOf,
  stepCount,
} from "storage/api";
import type { RedMetrics } from "../service/red-metrics.ts";

/** The reads that ranking needs; `PrometheusMetrics` has them. */
type Series = Pick<RedMetrics, "getCallRates" | "getErrorRates" | "getLatencies">;

/** Values of a name, by the point's milliseconds. */
type Points = ReadonlyMap<string, ReadonlyMap<number, number>>;

/**
 * One page of ranked names. The first read finds and ranks all names; two more reads fill the page. A read sends one
 * query for each figure.
 *
 * ```
 * order=errors&limit=50, 1,200 services
 * 1. calls and errors of all services, one point that covers the whole time
 * 2. calls, errors, p50, p95, p99 of the 50 names of the page, the same point
 * 3. the same figures of the page for each step of the curve
 * ```
 */
export async function prometheusRankedRates(
  metrics: Series,
  query: RankedRatesQuery,
  options: ReadOptions,
): Promise<RankedRates> {
  const { startUnixMs, endUnixMs, stepMs, contains, only, order, limit, offset } = query;
  // The range of `rate()`: the whole time for the sums, a step for the curves.
  const lookbackMs = endUnixMs - startUnixMs;
  const whole = { startUnixMs: endUnixMs, endUnixMs, stepMs: lookbackMs, ratePerMs: lookbackMs };
  const curves = { startUnixMs: startUnixMs + stepMs, endUnixMs, stepMs, ratePerMs: stepMs };
  const services = [query.service === undefined ? servicePattern(query) : escaped(query.service)];
  const all = await figuresOf(metrics, { ...selection(query, services), ...whole }, order, options);
  const part = contains.toLowerCase();
  const ranked = [...all.calls]
    // Names are filtered here too: with `service` the pattern selects the service, and the names are its
    // operations.
    .flatMap(([name, points]) => {
      const figures = figuresAt(all, name, endUnixMs, lookbackMs);
      const isAsked = name.toLowerCase().includes(part) && (only === undefined || only.includes(name));
      return isAsked && points.size > 0 && figures.calls > 0 ? [{ name, rank: rankOf(order, figures) }] : [];
    })
    .sort((one, other) => other.rank - one.rank || (one.name < other.name ? -1 : 1));
  const page = ranked.slice(offset, offset + limit).map(({ name }) => name);
  if (page.length === 0) {
    return { matched: ranked.length, names: [] };
  }
  const ofPage = selection(query, query.service === undefined ? page.map(escaped) : services);
  const [sums, steps] = await Promise.all([
    figuresOf(metrics, { ...ofPage, ...whole }, undefined, options),
    figuresOf(metrics, { ...ofPage, ...curves }, undefined, options),
  ]);
  const names = page.map((name) => ({
    name,
    whole: figuresAt(sums, name, endUnixMs, lookbackMs),
    steps: Array.from({ length: stepCount(query) }, (_, index) => {
      const figures = figuresAt(steps, name, startUnixMs + (index + 1) * stepMs, stepMs);
      return figures.calls > 0 ? figures : undefined;
    }),
  }));
  return { matched: ranked.length, names };
}

/** The services and kinds of a query. Ranking operations groups by operation. */
function selection(query: RankedRatesQuery, services: readonly string[]) {
  return { services, spanKinds: query.spanKinds, groupByOperation: query.service !== undefined };
}

/** A pattern for the names that can be on the page. `contains` matches anywhere in the name, in any case. */
function servicePattern({ contains, only }: RankedRatesQuery): string {
  if (only !== undefined) {
    return only.map(escaped).join("|");
  }
  return contains === "" ? ".*" : `(?i).*${escaped(contains)}.*`;
}

/** Escapes a text for RE2. */
function escaped(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

/** The figures of many names, one map for each figure. */
interface AllFigures {
  /** Calls a second. */
  readonly calls: Points;
  /** Share of calls that failed, 0 to 1. */
  readonly errors: Points;
  /** Quantiles of durations. */
  readonly p50: Points;
  readonly p95: Points;
  readonly p99: Points;
}

/** The points of a figure that was not requested. */
const none: Points = new Map();

/**
 * Reads the figures of all names, with one query for each figure. @param only the figure to read in addition to calls;
 * all figures when undefined
 */
async function figuresOf(
  metrics: Series,
  query: MetricsQuery,
  only: RankedRatesQuery["order"] | undefined,
  options: ReadOptions,
): Promise<AllFigures> {
  const isAsked = (figure: RankedRatesQuery["order"]) => only === undefined || only === figure;
  const latency = (figure: "p50" | "p95" | "p99", quantile: number) =>
    isAsked(figure) ? metrics.getLatencies({ ...query, quantile }, options).then(pointsOf) : none;
  const [calls, errors, p50, p95, p99] = await Promise.all([
    metrics.getCallRates(query, options).then(pointsOf),
    isAsked("errors") ? metrics.getErrorRates(query, options).then(pointsOf) : none,
    latency("p50", 0.5),
    latency("p95", 0.95),
    latency("p99", 0.99),
  ]);
  return { calls, errors, p50, p95, p99 };
}

/** Points by name. NaN, the result of `0 / 0`, is left out and counts as 0. */
function pointsOf(series: readonly MetricSeries[]): Points {
  return new Map(
    series.map(({ service, operation, points }) => [
      operation ?? service,
      new Map(
        points.filter(({ value }) => Number.isFinite(value)).map(({ unixMs, value }) => [unixMs, value]),
      ),
    ]),
  );
}

/**
 * The figures of one name at one point. @param perMs milliseconds that the point covers; turns a rate into a
 * count
 */
function figuresAt(all: AllFigures, name: string, unixMs: number, perMs: number): RateFigures {
  const at = (points: Points) => points.get(name)?.get(unixMs) ?? 0;
  const calls = (at(all.calls) * perMs) / 1_000;
  return {
    ...{ calls, errors: calls * at(all.errors) },
    ...{ p50Ms: at(all.p50), p95Ms: at(all.p95), p99Ms: at(all.p99) },
  };
}
