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

type Series = Pick<RedMetrics, "getCallRates" | "getErrorRates" | "getLatencies">;

/** Values of a name, by the point's milliseconds. */
type Points = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** One page of ranked names. One query finds and ranks all names; a few more fill the page. */
export async function prometheusRankedRates(
  metrics: Series,
  query: RankedRatesQuery,
  options: ReadOptions,
): Promise<RankedRates> {
  const { startUnixMs, endUnixMs, stepMs, contains, only, order, limit, offset } = query;
  const lookbackMs = endUnixMs - startUnixMs;
  const whole = { startUnixMs: endUnixMs, endUnixMs, stepMs: lookbackMs, ratePerMs: lookbackMs };
  const curves = { startUnixMs: startUnixMs + stepMs, endUnixMs, stepMs, ratePerMs: stepMs };
  const services = [query.service === undefined ? servicePattern(query) : escaped(query.service)];
  const all = await figuresOf(metrics, { ...selection(query, services), ...whole }, order, options);
  const part = contains.toLowerCase();
  const ranked = [...all.calls]
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

function selection(query: RankedRatesQuery, services: readonly string[]) {
  return { services, spanKinds: query.spanKinds, groupByOperation: query.service !== undefined };
}

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

interface AllFigures {
  readonly calls: Points;
  readonly errors: Points;
  readonly p50: Points;
  readonly p95: Points;
  readonly p99: Points;
}

const none: Points = new Map();

/** @param only the figures to read beside the calls; all figures when undefined */
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

/** @param perMs milliseconds that the point covers */
function figuresAt(all: AllFigures, name: string, unixMs: number, perMs: number): RateFigures {
  const at = (points: Points) => points.get(name)?.get(unixMs) ?? 0;
  const calls = (at(all.calls) * perMs) / 1_000;
  return {
    ...{ calls, errors: calls * at(all.errors) },
    ...{ p50Ms: at(all.p50), p95Ms: at(all.p95), p99Ms: at(all.p99) },
  };
}
