import { parseTraceQl } from "traceql";
import { expect } from "vitest";
import type { TraceQlMetrics } from "../api/traceql-reader.ts";
import { adjustedTraceqlContract } from "./adjusted-contract.ts";
import { type ContractContext, expectStorageError, write } from "./contract-context.ts";
import {
  attribute,
  msNano,
  newServiceName,
  noonUnixNano,
  type SpanFacts,
  sampleSpan,
  text,
} from "./sample-spans.ts";
import { askingTraceQl, secondNano } from "./traceql-asking.ts";

/** The contract of TraceQL metrics and of `compare()`. */
export function traceqlMetricsContract(context: ContractContext): void {
  const { store, test } = context;
  const { metrics } = askingTraceQl(context);
  adjustedTraceqlContract(context);

  test("traceql: groups, with all of the range in one", async () => {
    const service = newServiceName();
    const one = (seconds: number, ms: bigint, facts: SpanFacts) =>
      sampleSpan({
        ...{
          service,
          durationNano: ms * msNano,
          startTimeUnixNano: noonUnixNano + BigInt(seconds) * secondNano,
        },
        ...facts,
      });
    const [a, b] = [{ attributes: [text("route", "/a")] }, { attributes: [text("route", "/b")] }];
    await write(store(), [
      one(1, 10n, a),
      one(50, 20n, a),
      one(2, 5n, { ...a, status: { code: "error", message: "" } }),
      one(3, 7n, b),
      one(4, 9n, {}),
    ]);
    const { traceql } = store();
    const ask = (stage: string) => {
      const query = parseTraceQl(`{ resource.service.name = "${service}" } | ${stage}`);
      const range = { startUnixNano: noonUnixNano, endUnixNano: noonUnixNano + 60n * secondNano };
      return traceql.groups({ query, range });
    };
    const found = await ask("quantile_over_time(duration, .5) by (span.route, status)");
    const shown = found.map(({ values, spans, greatest, buckets }) => [
      ...values.map((value) => ("value" in value ? value.value : undefined)),
      ...[spans, greatest, [...buckets.values()].reduce((sum, count) => sum + count, 0)],
    ]);
    expect(shown.toSorted((x, y) => Number(x[3]) - Number(y[3]))).toEqual([
      ["/a", "error", 1, 5e6, 1],
      ["/b", "unset", 1, 7e6, 1],
      [undefined, "unset", 1, 9e6, 1],
      ["/a", "unset", 2, 20e6, 2],
    ]);
    await expectStorageError(ask("rate() by (span.route)"), "STORAGE_BAD_QUERY");
  });

  test("traceql: metrics, by time and by group", async () => {
    const service = newServiceName();
    const one = (seconds: number, ms: bigint, route?: string) =>
      sampleSpan({
        ...{
          service,
          durationNano: ms * msNano,
          startTimeUnixNano: noonUnixNano + BigInt(seconds) * secondNano,
        },
        attributes:
          route === undefined ? [] : [text("route", route), attribute("size", { type: "int", value: ms })],
      });
    await write(store(), [
      one(-45, 100n, "/a"),
      one(1, 10n, "/a"),
      one(2, 20n, "/a"),
      one(30, 30n, "/b"),
      one(31, 40n),
    ]);
    const values = ({ series }: TraceQlMetrics) =>
      series.map(({ labels, samples }) => [
        labels.map(([, value]) => ("value" in value ? value.value : undefined)),
        samples.map(({ unixNano, value }) => [Number((unixNano - noonUnixNano) / secondNano), value]),
      ]);
    const of = (rest: string) => `{ resource.service.name = "${service}" } | ${rest}`;
    expect(values(await metrics(of("count_over_time()")))).toEqual([
      [
        ["count_over_time"],
        [
          [-60, 0],
          [-30, 1],
          [0, 0],
          [30, 3],
          [60, 1],
        ],
      ],
    ]);
    expect(values(await metrics(of("rate() by(span.route) | topk(1) > 0")))).toEqual([
      [[undefined], [[60, 1 / 30]]],
      [
        ["/a"],
        [
          [-30, 1 / 30],
          [30, 2 / 30],
        ],
      ],
    ]);
    // Texts have neither a largest value nor a quantile, so there is no result.
    for (const field of ["name", "status", "span.route", "event:name", "rootName"]) {
      for (const most of [`max_over_time(${field})`, `quantile_over_time(${field}, .5)`]) {
        expect([most, values(await metrics(of(most)))]).toEqual([most, []]);
      }
    }
    expect(values(await metrics(of("max_over_time(duration) by(span.route)")))).toEqual([
      [[undefined], [[60, 0.04]]],
      [
        ["/a"],
        [
          [-30, 0.1],
          [30, 0.02],
        ],
      ],
      [["/b"], [[30, 0.03]]],
    ]);
    expect(values(await metrics(of("avg_over_time(span.size)")))).toEqual([
      [
        ["avg_over_time"],
        [
          [-30, 100],
          [30, 20],
        ],
      ],
    ]);
    expect(values(await metrics(of("sum_over_time(span.size)")))).toEqual([
      [
        ["sum_over_time"],
        [
          [-30, 100],
          [30, 60],
        ],
      ],
    ]);
    expect(values(await metrics(of("min_over_time(span.size)")))).toEqual([
      [
        ["min_over_time"],
        [
          [-30, 100],
          [30, 10],
        ],
      ],
    ]);
    const quantile = await metrics(of("quantile_over_time(duration, .5)"), { stepNano: 120n * secondNano });
    expect(quantile.series[0]?.labels).toEqual([["p", { type: "double", value: 0.5 }]]);
    const median = quantile.series[0]?.samples.at(-1);
    expect(Math.abs((median?.value ?? 0) - 0.02)).toBeLessThan(0.02 * 0.07);
    const histogram = await metrics(of("histogram_over_time(duration)"));
    expect(histogram.series.map(({ labels }) => labels[0]?.[1])).toEqual(
      [0.016777216, 0.033554432, 0.067108864, 0.134217728].map((value) => ({ type: "double", value })),
    );
    expect(
      values(await metrics(`(${of("count_over_time()")}) * 2 - (${of("count_over_time()")}) > 0`)),
    ).toEqual([
      [
        [],
        [
          [-30, 1],
          [30, 3],
          [60, 1],
        ],
      ],
    ]);
    const exemplars = await metrics(of("max_over_time(duration)"), { exemplars: true });
    expect(exemplars.series[0]?.exemplars.length).toBeGreaterThan(0);
    const few = await metrics(of("rate() by(span.route)"), { maxSeries: 1 });
    expect(few.truncated).toBe(true);
    expect(values(few).map(([labels]) => labels)).toEqual([["/a"]]);
    // Conditions that need the whole trace.
    expect(values(await metrics(of("count() = 1 | count_over_time()")))).toEqual(
      values(await metrics(of("count_over_time()"))),
    );
  });

  test("traceql: compare() tells how often attributes have their values, on both sides", async () => {
    const service = newServiceName();
    const paid = (value: string, code: bigint, more: SpanFacts = {}) =>
      sampleSpan({
        ...{
          service,
          name: "pay",
          attributes: [text("card", value), attribute("code", { type: "int", value: code })],
        },
        ...more,
      });
    const error = { status: { code: "error", message: "" } } as const;
    await write(store(), [
      ...[paid("visa", 1n), paid("visa", 2n), paid("amex", 3n), paid("visa", 4n, error)],
      paid("amex", 5n, error),
      paid("amex", 6n, error),
    ]);
    const asked = async (rest: string) => {
      const { series } = await metrics(
        `{ resource.service.name = "${service}" } | compare({ status = error }${rest})`,
      );
      return series.map(({ labels, samples }) => {
        const [meta, [key, value] = []] = labels;
        const shown = value !== undefined && "value" in value ? String(value.value) : "";
        const sum = samples.reduce((before, sample) => before + sample.value, 0);
        return `${meta !== undefined && "value" in meta[1] ? meta[1].value : ""} ${key} ${shown} ${sum}`;
      });
    };
    const found = await asked("");
    expect(found).toEqual(
      expect.arrayContaining([
        "baseline span.card visa 2",
        "baseline span.card amex 1",
        "selection span.card amex 2",
        "selection span.card visa 1",
        "baseline_total span.card  3",
        "selection_total span.code  3",
        `selection resource.service.name ${service} 3`,
        "selection status error 3",
        "baseline name pay 3",
      ]),
    );
    expect(found.filter((line) => line.startsWith("__too_many"))).toEqual([]);
    const two = await asked(", 2");
    expect(two.filter((line) => line.includes("span.code "))).toEqual([
      "__too_many_values__ span.code  0",
      ...["baseline span.code 1 1", "baseline span.code 2 1", "baseline_total span.code  3"],
      ...["selection span.code 4 1", "selection span.code 5 1", "selection_total span.code  3"],
    ]);
    // The selection has a time range in which no span starts.
    const none = await asked(", 10, 1, 2");
    expect(none.filter((line) => line.startsWith("selection"))).toEqual([]);
    expect(none).toContain("baseline_total span.card  6");
  });
}
