import { parseTraceQl } from "traceql";
import { expect } from "vitest";
import type { Span } from "wire/model";
import type { TraceQlMetrics, TraceQlSearch } from "../api/traceql-reader.ts";
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
  newTraceId,
  noonUnixNano,
  type SpanFacts,
  sampleSpan,
  text,
} from "./sample-spans.ts";
import { traceqlModelContract } from "./traceql-model-contract.ts";

const secondNano = 1_000_000_000n;
const range = {
  startUnixNano: noonUnixNano - 60n * secondNano,
  endUnixNano: noonUnixNano + 60n * secondNano,
};

/** What every engine that answers TraceQL promises. */
export function traceqlContract(context: ContractContext): void {
  const { store, test } = context;
  const search = (query: string, more: { limit?: number; spansPerSpanset?: number } = {}) =>
    store().traceql.search({
      query: parseTraceQl(query),
      range,
      limit: more.limit ?? 20,
      spansPerSpanset: more.spansPerSpanset ?? 10,
    });
  const metrics = (
    query: string,
    more: { stepNano?: bigint; maxSeries?: number; exemplars?: boolean } = {},
  ) =>
    store().traceql.metrics({
      query: parseTraceQl(query),
      range,
      stepNano: more.stepNano ?? 30n * secondNano,
      maxSeries: more.maxSeries ?? 100,
      exemplars: more.exemplars ?? false,
    });

  test("traceql: a tree of calls, by the operators between spans", async () => {
    const service = newServiceName();
    await write(store(), callTree(service));
    const found = async (query: string) =>
      names(await search(query.replaceAll("$s", `resource.service.name = "${service}"`)));
    const cases: readonly (readonly [query: string, spans: readonly string[]])[] = [
      ["{ $s }", ["root", "a", "a1", "a2", "b", "b1"]],
      ["{ $s && name = `a` } > { $s }", ["a1", "a2"]],
      ["{ $s && name = `root` } >> { $s && name =~ `.1` }", ["a1", "b1"]],
      ["{ $s && name =~ `.1` } << { $s }", ["root", "a", "b"]],
      ["{ $s && name = `a1` } < { $s }", ["a"]],
      ["{ $s && name = `a1` } ~ { $s }", ["a2"]],
      ["{ $s && name = `a` } !> { $s }", ["root", "a", "b", "b1"]],
      ["{ $s && name = `a` } !>> { $s }", ["root", "a", "b", "b1"]],
      ["{ $s && name = `a1` } !< { $s && name =~ `.` }", ["b"]],
      ["{ $s && name = `a1` } !<< { $s }", ["a1", "a2", "b", "b1"]],
      ["{ $s && name = `a1` } !~ { $s && name =~ `..` }", ["a1", "b1"]],
      ["{ $s && name = `a` } &> { $s }", ["a", "a1", "a2"]],
      ["{ $s && name = `root` } &>> { $s && name = `b1` }", ["root", "b1"]],
      ["{ $s && name = `b1` } &<< { $s && name = `b` }", ["b", "b1"]],
      ["{ $s && name = `a1` } &~ { $s && name = `a2` }", ["a1", "a2"]],
      ["{ $s && name = `a1` } && { $s && name = `b1` }", ["a1", "b1"]],
      ["{ $s && name = `a1` } && { $s && name = `none` }", []],
      ["{ $s && name = `a1` } || { $s && name = `none` }", ["a1"]],
      ["{ $s && span:childCount = 2 }", ["root", "a"]],
      ["{ $s && nestedSetParent < 0 }", ["root"]],
      ["{ $s && nestedSetLeft > 7 }", ["b", "b1"]],
      ["{ $s && rootName = `root` && traceDuration > 50ms && name = `b` }", ["b"]],
      ["{ $s && parent.level = 1 }", ["a1", "a2", "b1"]],
      ["({ $s } | count() > 5) >> { $s && name = `b1` }", ["b1"]],
    ];
    for (const [query, spans] of cases) expect([query, await found(query)]).toEqual([query, spans]);
  });

  test("traceql: values of every type, where they are found, and where they are not", async () => {
    const service = newServiceName();
    await write(store(), [valueSpan(service)]);
    const isFound = async (condition: string) =>
      (await search(`{ resource.service.name = "${service}" && ${condition} }`)).traces.length === 1;
    for (const condition of [
      ...[
        "span.int = 200",
        ".int > 199.5",
        "span.int != 201",
        "span.int * 2 = 400",
        "-span.int = -200",
        "span.int / 3 = 66",
      ],
      ...[
        "span.float = 2.5",
        "span.float < 3",
        "span.text = `it's \\ \"1`",
        'span.text >= "it"',
        "span.flag",
        "!span.off",
      ],
      ...[
        "span.text =~ `it.*`",
        "span.text !~ `it`",
        "span.list = `b`",
        "span.list != `c`",
        "span.numbers = 2",
        "span.list =~ `[b-z]`",
      ],
      ...[
        "resource.zone = `eu`",
        ".zone = `eu`",
        ".both = `own`",
        "resource.both = `of resource`",
        "span.missing = nil",
        ".text != nil",
      ],
      ...[
        "event.code = 7",
        "event:name = `second`",
        "event:timeSinceStart >= 5ms",
        "link.why = `retry`",
        "event.code != 9",
      ],
      ...[
        "link:traceID = `ffffffffffffffffffffffffffffffff`",
        "instrumentation.x = 1",
        "instrumentation:name = `lib`",
      ],
      ...[
        "instrumentation:version = `1.2`",
        "statusMessage = `broken`",
        "status = error",
        "kind = client",
        "duration = 1ms",
      ],
      ...[
        '."a \\"b" = `quoted`',
        "span:parentID = ``",
        "(span.int = 1 || span.flag) && !(span.off)",
        "rootServiceName != ``",
      ],
    ]) {
      expect([condition, await isFound(condition)]).toEqual([condition, true]);
    }
    for (const condition of [
      ...[
        "span.int = `200`",
        "span.text = 1",
        "span.missing != 1",
        "span.missing = 1",
        "span.int != `x`",
        "span.list != `b`",
      ],
      ...[
        "span.zone = `eu`",
        ".both = `of resource`",
        "event.code != 7",
        "event.none = nil && false",
        "span.text =~ `t`",
      ],
      ...[
        "span.text = `' OR 1=1 --`",
        "span.off",
        "!span.text",
        "span.int / 0 = 1",
        "status = ok",
        "span.bytes = `00ff`",
      ],
    ]) {
      expect([condition, await isFound(condition)]).toEqual([condition, false]);
    }
  });

  test("traceql: groups, aggregates and selected fields are in the answer", async () => {
    const service = newServiceName();
    const tree = callTree(service);
    await write(store(), tree);
    const { traces } = await search(
      `{ resource.service.name = "${service}" } | by(span.level) | count() > 1 | avg(duration) > 1ms | select(span.level, status)`,
      { spansPerSpanset: 1 },
    );
    expect(traces).toHaveLength(1);
    expect(traces[0]).toMatchObject({
      traceId: tree[0]?.traceId,
      rootServiceName: service,
      rootTraceName: "root",
      startUnixNano: noonUnixNano,
      durationNano: 60n * msNano,
      serviceStats: new Map([[service, { spanCount: 6, errorCount: 1 }]]),
    });
    const int = (value: bigint) => ({ type: "int", value });
    expect(traces[0]?.spanSets.map(({ matched, attributes }) => ({ matched, attributes }))).toEqual([
      {
        matched: 2,
        attributes: [
          ["by(span.level)", int(1n)],
          ["count()", int(2n)],
          ["avg(duration)", { type: "double", value: 25_000_000 }],
        ],
      },
      {
        matched: 3,
        attributes: [
          ["by(span.level)", int(2n)],
          ["count()", int(3n)],
          ["avg(duration)", { type: "double", value: 5_000_000 }],
        ],
      },
    ]);
    expect(traces[0]?.spanSets[0]?.spans).toEqual([
      {
        ...{
          spanId: tree[1]?.spanId,
          name: "a",
          startUnixNano: noonUnixNano + msNano,
          durationNano: 30n * msNano,
        },
        attributes: [
          ["service.name", { type: "string", value: service }],
          ["resource.service.name", { type: "string", value: service }],
          ["span.level", int(1n)],
          ["status", { type: "string", value: "unset" }],
        ],
      },
    ]);
    const coalesced = await search(
      `{ resource.service.name = "${service}" } | by(span.level) | coalesce() | sum(span.level) = 8`,
    );
    expect(coalesced.traces[0]?.spanSets.map(({ matched }) => matched)).toEqual([6]);
    const none = await search(`{ resource.service.name = "${service}" } | count() + 1 > 7`);
    expect(none.traces).toEqual([]);
  });

  test("traceql: newest first, no more than asked, of the range only", async () => {
    const service = newServiceName();
    const at = (seconds: number) =>
      sampleSpan({ service, startTimeUnixNano: noonUnixNano + BigInt(seconds) * secondNano });
    const spans = [at(-61), at(-50), at(0), at(30), at(60), at(61)];
    await write(store(), spans);
    const query = `{ resource.service.name = "${service}" }`;
    const ids = ({ traces }: TraceQlSearch) => traces.map(({ traceId }) => traceId);
    const inRange = spans
      .slice(1, 5)
      .map(({ traceId }) => traceId)
      .reverse();
    expect(ids(await search(query))).toEqual(inRange);
    expect(ids(await search(query, { limit: 2 }))).toEqual(inRange.slice(0, 2));
    expect(ids(await search(`${query} | count() = 1`, { limit: 3 }))).toEqual(inRange.slice(0, 3));
    expect((await search(query, { spansPerSpanset: 0 })).traces[0]?.spanSets[0]?.spans).toHaveLength(1);
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
    // What depends on the whole trace.
    expect(values(await metrics(of("count() = 1 | count_over_time()")))).toEqual(
      values(await metrics(of("count_over_time()"))),
    );
  });

  test("traceql: nobody sees the spans of others", async () => {
    const tenant = newServiceName();
    await store().writer.writeSpans(rowsOfTenant(tenant, sampleSpan({ service: tenant })), {
      deduplicationToken: newToken(),
    });
    const request = { query: parseTraceQl("{ }"), range, limit: 10, spansPerSpanset: 1 };
    const counting = { query: parseTraceQl("{ } | rate()"), range, stepNano: secondNano, maxSeries: 1 };
    expect((await store().traceql.search(request, { tenant })).traces).toHaveLength(1);
    expect((await store().traceql.search(request, { tenant: `${tenant}x` })).traces).toEqual([]);
    expect((await store().traceql.metrics(counting, { tenant })).series).toHaveLength(1);
    expect((await store().traceql.metrics(counting, { tenant: `${tenant}x` })).series).toEqual([]);
    const own = await search(`{ resource.service.name = "${tenant}" }`);
    expect(own.traces).toEqual([]);
  });

  test("traceql: texts of a query are never taken for SQL", async () => {
    const service = newServiceName();
    const nasty = [
      "'",
      "\\",
      "\\'",
      "' OR 1=1 --",
      "{x:String}",
      "\u0000",
      "`",
      '"',
      "\n",
      "%",
      "?",
      "𝒳",
      "\\N",
      "'; DROP TABLE spans; --",
    ];
    await write(
      store(),
      nasty.map((value) => sampleSpan({ service, name: value, attributes: [text(value, value)] })),
    );
    const static_ = (value: string) => ({ type: "static", value: { type: "string", value } }) as const;
    for (const value of nasty) {
      const conditions = [
        { type: "intrinsic", name: "span:name" },
        { type: "attribute", scope: "span", name: value, ofParent: false },
      ] as const;
      for (const left of conditions) {
        const { traces } = await store().traceql.search({
          query: {
            ...{ type: "search", hints: [] },
            pipeline: {
              type: "pipeline",
              stages: [
                {
                  type: "filter",
                  condition: {
                    ...{ type: "binary", operator: "&&" },
                    left: {
                      ...{ type: "binary", operator: "=", right: static_(service) },
                      left: { type: "attribute", scope: "resource", name: "service.name", ofParent: false },
                    },
                    right: { type: "binary", operator: "=", left, right: static_(value) },
                  },
                },
              ],
            },
          },
          ...{ range, limit: 20, spansPerSpanset: 1 },
        });
        expect(traces.map(({ rootTraceName }) => rootTraceName)).toEqual([value]);
      }
    }
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
    // Of a time in which no span starts.
    const none = await asked(", 10, 1, 2");
    expect(none.filter((line) => line.startsWith("selection"))).toEqual([]);
    expect(none).toContain("baseline_total span.card  6");
  });

  test("traceql: what cannot be answered is refused", async () => {
    const { traceql } = store();
    const query = parseTraceQl("{ }");
    const rate = parseTraceQl("{ } | rate()");
    const turned = { startUnixNano: 2n, endUnixNano: 1n };
    const calls = [
      () => traceql.search({ query: rate, range, limit: 1, spansPerSpanset: 1 }),
      () => traceql.search({ query, range: turned, limit: 1, spansPerSpanset: 1 }),
      () => traceql.search({ query, range, limit: 0, spansPerSpanset: 1 }),
      () => traceql.search({ query, range, limit: 1, spansPerSpanset: -1 }),
      () => traceql.search({ query, range, limit: 1, spansPerSpanset: 1 }, { tenant: "t".repeat(2_000) }),
      () => traceql.metrics({ query, range, stepNano: secondNano, maxSeries: 1 }),
      () => traceql.metrics({ query: rate, range, stepNano: 1n, maxSeries: 1 }),
      () => traceql.metrics({ query: rate, range, stepNano: 1_000_000n, maxSeries: 1 }),
      () => traceql.metrics({ query: rate, range, stepNano: secondNano, maxSeries: 0 }),
      () => traceql.metrics({ query: rate, range: turned, stepNano: secondNano, maxSeries: 1 }),
    ];
    for (const call of calls) await expectStorageError(call(), "STORAGE_BAD_QUERY");
    const signal = AbortSignal.abort();
    for (const call of [
      () => traceql.search({ query, range, limit: 1, spansPerSpanset: 1 }, { signal }),
      () => traceql.metrics({ query: rate, range, stepNano: secondNano, maxSeries: 1 }, { signal }),
    ]) {
      await expectStorageError(call(), "STORAGE_ABORTED");
    }
  });

  traceqlModelContract(context);
}

/** Names of the spans found, by start. */
function names({ traces }: TraceQlSearch): string[] {
  return traces.flatMap(({ spanSets }) => spanSets.flatMap(({ spans }) => spans.map(({ name }) => name)));
}

/** root (a (a1, a2), b (b1)). */
function callTree(service: string): Span[] {
  const traceId = newTraceId();
  let starts = noonUnixNano;
  const call = (
    name: string,
    level: bigint,
    parent: Span | undefined,
    durationMs: bigint,
    more: SpanFacts = {},
  ) => {
    const span = sampleSpan({
      ...{ service, traceId, name, startTimeUnixNano: starts, durationNano: durationMs * msNano },
      ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      attributes: [attribute("level", { type: "int", value: level })],
      ...more,
    });
    starts += msNano;
    return span;
  };
  const root = call("root", 0n, undefined, 60n);
  const a = call("a", 1n, root, 30n);
  const a1 = call("a1", 2n, a, 5n, { status: { code: "error", message: "" } });
  const a2 = call("a2", 2n, a, 5n);
  const b = call("b", 1n, root, 20n);
  return [root, a, a1, a2, b, call("b1", 2n, b, 5n)];
}

/** A span with something in every place. */
function valueSpan(service: string): Span {
  const none = { traceState: "", droppedAttributesCount: 0, flags: 0 };
  return sampleSpan({
    ...{ service, kind: "client", status: { code: "error", message: "broken" } },
    attributes: [
      attribute("int", { type: "int", value: 200n }),
      attribute("float", { type: "double", value: 2.5 }),
      text("text", "it's \\ \"1"),
      attribute("flag", { type: "bool", value: true }),
      attribute("off", { type: "bool", value: false }),
      attribute("list", { type: "array", value: ["a", "b"].map((value) => ({ type: "string", value })) }),
      attribute("numbers", {
        type: "array",
        value: [
          { type: "int", value: 1n },
          { type: "double", value: 2 },
        ],
      }),
      attribute("bytes", { type: "bytes", value: Buffer.from([0, 255]) }),
      text("both", "own"),
      text('a "b', "quoted"),
    ],
    events: [
      { timeUnixNano: noonUnixNano, name: "first", attributes: [], droppedAttributesCount: 0 },
      {
        ...{ timeUnixNano: noonUnixNano + 5n * msNano, name: "second", droppedAttributesCount: 0 },
        attributes: [attribute("code", { type: "int", value: 7n })],
      },
    ],
    links: [
      {
        ...none,
        traceId: "f".repeat(32),
        spanId: "1".repeat(16),
        refType: "none",
        attributes: [text("why", "retry")],
      },
    ],
    resource: {
      attributes: [text("service.name", service), text("zone", "eu"), text("both", "of resource")],
      serviceName: service,
    },
    scope: { name: "lib", version: "1.2", attributes: [attribute("x", { type: "int", value: 1n })] },
  });
}
