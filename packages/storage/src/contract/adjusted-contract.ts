import { expect } from "vitest";
import type { AdjustedCounts } from "../api/adjusted-counts.ts";
import type { TraceQlSeries } from "../api/traceql-reader.ts";
import {
  type ContractContext,
  expectStorageError,
  newToken,
  rowsOfTenant,
  write,
} from "./contract-context.ts";
import {
  attribute,
  msNano,
  newServiceName,
  newSpanId,
  newTraceId,
  noonUnixNano,
  type SpanFacts,
  sampleSpan,
  text,
} from "./sample-spans.ts";
import { askingTraceQl } from "./traceql-asking.ts";

const minuteMs = 60_000;
const noonUnixMs = Number(noonUnixNano / 1_000_000n);

/** Margin of four spans that each represent ten: 1.96 standard deviations. */
const marginOfFourTenths = 1.96 * Math.sqrt(4 * 10 * 9);

/** Sampling probability of 1/10, in the notation of OpenTelemetry, of Jaeger's client and of older SDKs. */
const tenth: SpanFacts = { traceState: "vendor=x,ot=rv:aabbccddeeff00;th:e6666666666666" };
const tenthByJaeger: SpanFacts = {
  attributes: [
    text("sampler.type", "probabilistic"),
    attribute("sampler.param", { type: "double", value: 0.1 }),
  ],
};
const tenthByAttribute: SpanFacts = {
  attributes: [attribute("sampling.probability", { type: "double", value: 0.1 })],
};
const half: SpanFacts = { traceState: "ot=th:8" };
const all: SpanFacts = { traceState: "ot=th:0" };
const untold: SpanFacts = {
  traceState: "ot=rv:aabbccddeeff00,th:8",
  attributes: [text("sampler.type", "rate")],
};
/** A child span, whose sampler only followed the parent's decision. */
const child: SpanFacts = { ...tenthByJaeger, parentSpanId: "00000000000000ff" };

/** Contract of rates that are adjusted for sampling. */
export function adjustedRatesContract({ store, test }: ContractContext): void {
  const ranking = {
    ...{ contains: "", spanKinds: ["server"] as const, order: "calls" as const, limit: 10, offset: 0 },
    ...{ startUnixMs: noonUnixMs, endUnixMs: noonUnixMs + 2 * minuteMs, stepMs: minuteMs },
  };

  test("metrics: spans that were sampled are counted as what they stand for, when that is asked", async () => {
    const tenant = `adjusted ${newServiceName()}`;
    const failed: SpanFacts = { status: { code: "error", message: "" } };
    const spans = [
      sampleSpan({ ...tenth, ...failed, service: "s" }),
      sampleSpan({ ...tenthByJaeger, service: "s" }),
      sampleSpan({ ...tenthByAttribute, service: "s" }),
      sampleSpan({ ...tenth, service: "s", startTimeUnixNano: noonUnixNano + 60_000_000_000n }),
      sampleSpan({ ...child, service: "s" }),
      sampleSpan({ ...untold, ...failed, service: "s", durationNano: 100n * msNano }),
      sampleSpan({ ...half, service: "mixed" }),
      sampleSpan({ ...all, service: "mixed" }),
    ];
    await store().writer.writeSpans(rowsOfTenant(tenant, ...spans), { deduplicationToken: newToken() });
    const { names } = await store().metrics.getRankedRates({ ...ranking, adjusted: true }, { tenant });
    const [s, mixed] = names.map(({ whole }) => whole);
    expect([s?.calls, s?.errors, mixed?.calls]).toEqual([6, 2, 2]);
    expect(s?.adjusted).toMatchObject({ calls: 42, errors: 11, unknown: 2, least: 10, greatest: 10 });
    expect(s?.adjusted?.margin).toBeCloseTo(marginOfFourTenths, 6);
    // One of six stored calls is slow, but only one of 42 original calls.
    expect(s?.p95Ms).toBeGreaterThan(90);
    expect(s?.adjusted?.p95Ms).toBeLessThan(2);
    expect(names[0]?.steps.map((step) => [step?.calls, step?.adjusted?.calls])).toEqual([
      [5, 32],
      [1, 10],
    ]);
    expect(mixed?.adjusted).toMatchObject({ calls: 3, unknown: 0, least: 1, greatest: 2 });

    const plain = await store().metrics.getRankedRates(ranking, { tenant });
    expect(plain.names.map(({ whole }) => whole)).toEqual(
      names.map(({ whole: { adjusted, ...raw } }) => raw),
    );
  });
}

/** Contract of links between services that are adjusted for sampling. */
export function adjustedLinksContract({ store, test }: ContractContext): void {
  test("dependencies: calls also say how many they stand for, whether their parent came before or after", async () => {
    const [caller, called] = [newServiceName(), newServiceName()];
    const call = (facts: SpanFacts) => {
      const traceId = newTraceId();
      const parent = sampleSpan({ traceId, service: caller });
      const own = { traceId, service: called, parentSpanId: parent.spanId, spanId: newSpanId() };
      return [parent, sampleSpan({ ...facts, ...own })] as const;
    };
    const calls = [call(tenth), call(tenth), call(half), call(tenthByJaeger)];
    await write(store(), calls.slice(0, 2).flat());
    // These calls wait until their parent spans arrive.
    for (const [parent, waiting] of calls.slice(2)) {
      await write(store(), [waiting]);
      await write(store(), [parent]);
    }
    const range = { startUnixNano: noonUnixNano - 1n, endUnixNano: noonUnixNano + 1n, adjusted: true };
    const links = await store().dependencies.getDependencies(range);
    const link = links.find(({ parent }) => parent === caller);
    expect([link?.child, link?.callCount]).toEqual([called, 4]);
    const { margin, ...adjusted } = link?.adjusted ?? ({} as AdjustedCounts);
    expect(adjusted).toEqual({ adjusted: 23, unknown: 1, least: 2, greatest: 10 });
    expect(margin).toBeCloseTo(1.96 * Math.sqrt(2 * 90 + 2), 6);
  });
}

/** Contract of TraceQL metrics that are adjusted for sampling. */
export function adjustedTraceqlContract(context: ContractContext): void {
  const { store, test } = context;
  const { metrics } = askingTraceQl(context);
  const lastOf = (series: readonly TraceQlSeries[]) =>
    series.map(({ samples }) => samples.find(({ value }) => value > 0)?.value);

  test("traceql: with(adjusted=true) counts what spans stand for", async () => {
    const service = newServiceName();
    const one = (facts: SpanFacts, ms: bigint) =>
      sampleSpan({ service, ...facts, durationNano: ms * msNano });
    await write(store(), [one(tenth, 10n), one(tenth, 10n), one(half, 100n), one(untold, 1_000n)]);
    const ask = async (rest: string) => {
      const { series, adjusted } = await metrics(`{ resource.service.name = "${service}" } ${rest}`);
      return { values: lastOf(series), adjusted };
    };
    expect(await ask("| count_over_time()")).toEqual({ values: [4], adjusted: undefined });
    expect((await ask("| count_over_time() with(adjusted=false)")).values).toEqual([4]);
    const { values, adjusted } = await ask("| count_over_time() with(adjusted=true)");
    expect(values).toEqual([23]);
    const { margin = 0, ...known } = adjusted ?? {};
    expect(known).toEqual({ spans: 4, adjusted: 23, unknown: 1, least: 2, greatest: 10 });
    expect(margin).toBeCloseTo(1.96 * Math.sqrt(2 * 90 + 2), 6);
    const figure = async (rest: string) => (await ask(`| ${rest} with(adjusted=true)`)).values[0];
    expect(await figure("rate()")).toBeCloseTo(23 / 30, 9);
    expect(await figure("sum_over_time(duration)")).toBeCloseTo(0.2 + 0.2 + 1, 9);
    expect(await figure("avg_over_time(duration)")).toBeCloseTo(1.4 / 23, 9);
    expect(await figure("max_over_time(duration)")).toBe(1);
    expect(await figure("quantile_over_time(duration, .8)")).toBeLessThan(0.011);
    // SQL alone cannot evaluate this query, so the engine counts span by span.
    expect(await figure("select(span.a) | by(span.a) | count() > 0 | count_over_time()")).toBe(23);
    const nothing = await metrics(`{ resource.service.name = "none" } | rate() with(adjusted=true)`);
    expect(nothing.adjusted).toEqual({ spans: 0, adjusted: 0, margin: 0, unknown: 0, least: 0, greatest: 0 });
  });

  test("traceql: adjusted=true is refused where it would have no effect", async () => {
    await expectStorageError(metrics("{ } | rate() with(adjusted=2)"), "STORAGE_BAD_QUERY");
    await expectStorageError(
      metrics("{ } | compare({ status = error }) with(adjusted=true)"),
      "STORAGE_BAD_QUERY",
    );
  });
}
