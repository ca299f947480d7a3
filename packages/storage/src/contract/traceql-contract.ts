import { parseTraceQl } from "traceql";
import { expect } from "vitest";
import type { TraceQlSearch } from "../api/traceql-reader.ts";
import {
  type ContractContext,
  expectStorageError,
  newToken,
  rowsOfTenant,
  write,
} from "./contract-context.ts";
import { msNano, newServiceName, newTraceId, noonUnixNano, sampleSpan } from "./sample-spans.ts";
import { askingTraceQl, range, secondNano } from "./traceql-asking.ts";
import { traceqlMetricsContract } from "./traceql-metrics-contract.ts";
import { traceqlModelContract } from "./traceql-model-contract.ts";
import { callTree, parentLink } from "./traceql-sample-spans.ts";
import { traceqlValuesContract } from "./traceql-values-contract.ts";

/** The contract of every engine that answers TraceQL. */
export function traceqlContract(context: ContractContext): void {
  const { store, test } = context;
  const { search } = askingTraceQl(context);

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
    for (const [query, spans] of cases) {
      expect([query, await found(query)]).toEqual([query, spans]);
    }
  });

  test("traceql: a trace's duration is in the answer when it is selected, not when it is compared", async () => {
    const service = newServiceName();
    await write(store(), callTree(service));
    const shown = async (query: string) => {
      const { traces } = await search(query, { spansPerSpanset: 1 });
      return traces[0]?.spanSets[0]?.spans[0]?.attributes;
    };
    const named = ["service.name", { type: "string", value: service }];
    const filter = `{ resource.service.name = "${service}" && traceDuration > 1ms && rootName = "root" }`;
    expect(await shown(filter)).toEqual([named]);
    expect(await shown(`${filter} | select(rootName, trace:duration)`)).toEqual([
      named,
      ["traceDuration", { type: "string", value: "60ms" }],
    ]);
  });

  test("traceql: a span that names its parent by a link is not the root", async () => {
    const service = newServiceName();
    const traceId = newTraceId();
    const spanOf = (name: string, spanId: string, ms: bigint, parent?: string) =>
      sampleSpan({
        ...{ service, traceId, name, spanId, startTimeUnixNano: noonUnixNano + ms * msNano },
        links: parent === undefined ? [] : [parentLink(traceId, parent)],
      });
    const [first, second] = ["00000000000000a1", "00000000000000b2"];
    await write(store(), [
      spanOf("called", first, 0n, second),
      spanOf("caller", second, 1n),
      spanOf("later", "00000000000000c3", 2n, first),
    ]);
    const rootsOf = async (name: string) => {
      const query = `{ resource.service.name = "${service}" && rootName = "${name}" }`;
      return (await search(query)).traces.map(({ rootTraceName }) => rootTraceName);
    };
    expect(await rootsOf("caller")).toEqual(["caller"]);
    expect(await rootsOf("called")).toEqual([]);
    expect(await rootsOf("later")).toEqual([]);
    const { catalog } = store();
    const ofRoots = {
      ...({ scope: "intrinsic", name: "rootName" } as const),
      range,
      limit: 10,
      filter: { service },
    };
    expect((await catalog.values(ofRoots)).map(({ value }) => value)).toEqual(["caller"]);
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
          ["avg(duration)", { type: "string", value: "25ms" }],
        ],
      },
      {
        matched: 3,
        attributes: [
          ["by(span.level)", int(2n)],
          ["count()", int(3n)],
          ["avg(duration)", { type: "string", value: "5ms" }],
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
          ["level", int(1n)],
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
    for (const call of calls) {
      await expectStorageError(call(), "STORAGE_BAD_QUERY");
    }
    const signal = AbortSignal.abort();
    for (const call of [
      () => traceql.search({ query, range, limit: 1, spansPerSpanset: 1 }, { signal }),
      () => traceql.metrics({ query: rate, range, stepNano: secondNano, maxSeries: 1 }, { signal }),
    ]) {
      await expectStorageError(call(), "STORAGE_ABORTED");
    }
  });

  traceqlValuesContract(context);
  traceqlMetricsContract(context);
  traceqlModelContract(context);
}

/** Names of the spans found, by start. */
function names({ traces }: TraceQlSearch): string[] {
  return traces.flatMap(({ spanSets }) => spanSets.flatMap(({ spans }) => spans.map(({ name }) => name)));
}
