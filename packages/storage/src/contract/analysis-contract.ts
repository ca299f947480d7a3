import { parseTraceQl } from "traceql";
import { expect } from "vitest";
import type { Span } from "wire/model";
import type { SpanFilter, TailQuery } from "../api/analysis-reader.ts";
import {
  type ContractContext,
  expectStorageError,
  newToken,
  rowsOfTenant,
  write,
} from "./contract-context.ts";
import { populationContract } from "./population-contract.ts";
import { repeatedContract } from "./repeated-contract.ts";
import {
  msNano,
  newServiceName,
  newTraceId,
  noonUnixNano,
  type SpanFacts,
  sampleSpan,
  text,
} from "./sample-spans.ts";

const secondNano = 1_000_000_000n;
const failed: SpanFacts = { status: { code: "error", message: "" } };
const at = (seconds: number): SpanFacts => ({
  startTimeUnixNano: noonUnixNano + BigInt(seconds) * secondNano,
});
const range = { startUnixNano: noonUnixNano, endUnixNano: noonUnixNano + 100n * secondNano - 1n };
/** One minute at noon, for reads that the engine answers from counts by minute. */
const oneMinute = { startUnixNano: noonUnixNano, endUnixNano: noonUnixNano + secondNano };

/** Contract of analysis over many spans. */
export function analysisContract(context: ContractContext): void {
  const { store, test } = context;
  repeatedContract(context);
  populationContract(context);

  test("heat map: spans are counted by time and duration", async () => {
    const service = newServiceName();
    await write(store(), [
      sampleSpan({ service, ...at(0), durationNano: 1024n }),
      sampleSpan({ service, ...at(9), durationNano: 2047n, ...failed }),
      sampleSpan({ service, ...at(10), durationNano: 2048n }),
      sampleSpan({ service, ...at(99), durationNano: 0n }),
      sampleSpan({ service, ...at(99), durationNano: -3n }),
      sampleSpan({ service, ...at(99), durationNano: 1n }),
      sampleSpan({ service, ...at(100), durationNano: 1n }),
      sampleSpan({ service, ...at(-1), durationNano: 1n }),
    ]);
    const map = await store().analysis.getHeatMap({ service, range, columns: 10 });
    expect(map).toEqual({
      startUnixNano: noonUnixNano,
      columnNano: 10n * secondNano,
      cells: [
        { column: 0, durationLog2: 10, spans: 2, errors: 1 },
        { column: 1, durationLog2: 11, spans: 1, errors: 0 },
        { column: 9, durationLog2: 0, spans: 3, errors: 0 },
      ],
    });
    const long = await store().analysis.getHeatMap({ service, range, columns: 1, durationMinNano: 2000n });
    expect(long.cells).toEqual([
      { column: 0, durationLog2: 10, spans: 1, errors: 1 },
      { column: 0, durationLog2: 11, spans: 1, errors: 0 },
    ]);
  });

  test("heat map: tags and tenants apply", async () => {
    const service = newServiceName();
    const attributes = [text("color", "red")];
    const rows = rowsOfTenant(`of ${service}`, sampleSpan({ service, attributes }));
    await store().writer.writeSpans(rows, { deduplicationToken: newToken() });
    const { analysis } = store();
    const query = { service, range, columns: 1, tags: new Map([["color", "red"]]) };
    expect((await analysis.getHeatMap(query, { tenant: `of ${service}` })).cells).toHaveLength(1);
    expect((await analysis.getHeatMap(query)).cells).toEqual([]);
    const blue = { ...query, tags: new Map([["color", "blue"]]) };
    expect((await analysis.getHeatMap(blue, { tenant: `of ${service}` })).cells).toEqual([]);
  });

  test("comparison: what the selection has more, or less, of comes first", async () => {
    const service = newServiceName();
    const resource = { attributes: [text("zone", "west")] };
    const [blue, red, both] = [text("color", "blue"), text("color", "red"), text("both", "1")];
    await write(store(), [
      sampleSpan({ service, attributes: [red, both], resource, durationNano: 9n * msNano }),
      sampleSpan({ service, attributes: [red, red, both], durationNano: 9n * msNano }),
      sampleSpan({ service, attributes: [blue, both] }),
      sampleSpan({ service, attributes: [blue, both] }),
      sampleSpan({ service, attributes: [red, both] }),
      sampleSpan({ service, attributes: [blue, both] }),
    ]);
    const comparison = await store().analysis.compareAttributes({
      selection: { service, durationMinNano: 2n * msNano },
      background: { service },
      limit: 3,
    });
    expect(comparison.selectedSpans).toBe(2);
    expect(comparison.otherSpans).toBe(4);
    expect(comparison.differences).toEqual([
      { place: "span", key: "color", value: "blue", selected: 0, others: 3 },
      { place: "span", key: "color", value: "red", selected: 2, others: 1 },
      expect.objectContaining({ place: "resource", selected: expect.any(Number) }),
    ]);
  });

  test("comparison: of many spans the newest of each side, however long ago", async () => {
    const service = newServiceName();
    const old = (hours: number, facts: SpanFacts) => sampleSpan({ service, ...at(-3_600 * hours), ...facts });
    await write(store(), [
      ...[300, 30, 0, 1].map((hours) => old(hours, { attributes: [text("late", String(hours < 2))] })),
      ...[500, 400, 4, 200].map((hours) =>
        old(hours, { attributes: [text("late", String(hours < 300)), text("late", "x")], ...failed }),
      ),
    ]);
    const { analysis } = store();
    const selection = { service, hasError: true };
    const newest = await analysis.compareAttributes({
      ...{ selection, background: { service }, limit: 9, maxSpans: 2 },
    });
    expect(newest).toMatchObject({ selectedSpans: 2, otherSpans: 2 });
    expect(newest.differences.filter(({ key }) => key === "late")).toEqual([
      { place: "span", key: "late", value: "x", selected: 2, others: 0 },
    ]);
    const all = await analysis.compareAttributes({ selection, background: { service }, limit: 9 });
    expect(all).toMatchObject({ selectedSpans: 4, otherSpans: 4 });
    expect(all.differences).toContainEqual({
      ...{ place: "span", key: "late", value: "x", selected: 4, others: 0 },
    });
    const same = Array.from({ length: 3 }, () => sampleSpan({ service: `${service} too`, ...at(0) }));
    await write(store(), same);
    const tied = { selection: { service: `${service} too` }, background: {}, limit: 1, maxSpans: 1 };
    expect(await analysis.compareAttributes(tied)).toMatchObject({ selectedSpans: 1, otherSpans: 1 });
  });

  test("comparison: a selection by tags, and nothing at all", async () => {
    const service = newServiceName();
    await write(store(), [
      sampleSpan({ service, attributes: [text("color", "red"), text("size", "xl")] }),
      sampleSpan({ service, attributes: [text("color", "blue"), text("size", "s")] }),
    ]);
    const { analysis } = store();
    const selection = { service, tags: new Map([["color", "red"]]) };
    const found = await analysis.compareAttributes({ selection, background: { service }, limit: 50 });
    expect(found.selectedSpans).toBe(1);
    expect(found.otherSpans).toBe(1);
    expect(found.differences).toHaveLength(4);
    const nothing = { selectedSpans: 0, otherSpans: 0, differences: [] };
    const other = { service: newServiceName() };
    expect(await analysis.compareAttributes({ selection: other, background: other, limit: 5 })).toEqual(
      nothing,
    );
    expect(
      await analysis.compareAttributes(
        { selection, background: { service }, limit: 5 },
        { tenant: "nobody" },
      ),
    ).toEqual(nothing);
  });

  test("comparison: sides by TraceQL, with the conditions beside it", async () => {
    const service = newServiceName();
    const parent = sampleSpan({ service, name: "parent" });
    const child = (facts: SpanFacts) =>
      sampleSpan({ service, traceId: parent.traceId, parentSpanId: parent.spanId, ...facts });
    await write(store(), [
      parent,
      child({ name: "child", attributes: [text("color", "red")], ...failed }),
      child({ name: "child", attributes: [text("color", "blue")] }),
      sampleSpan({ service, name: "child", attributes: [text("color", "green")] }),
      sampleSpan({ service, name: "child", ...at(200) }),
    ]);
    const { analysis } = store();
    const times = { startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano };
    const selection = {
      ...{ service, query: parseTraceQl("{ name = `parent` } > { name = `child` }"), ...times },
    };
    const background = { query: parseTraceQl(`{ resource.service.name = "${service}" }`), ...times };
    const found = await analysis.compareAttributes({ selection, background, limit: 9 });
    expect([found.selectedSpans, found.otherSpans]).toEqual([2, 2]);
    const withError = { ...selection, hasError: true };
    const errors = await analysis.compareAttributes({ selection: withError, background, limit: 9 });
    expect([errors.selectedSpans, errors.otherSpans]).toEqual([1, 3]);
    const queries = [
      { query: parseTraceQl("{ } | rate()"), ...times },
      { query: parseTraceQl("{ }") },
      { query: parseTraceQl("{ }"), startTimeMinUnixNano: 2n, startTimeMaxUnixNano: 1n },
    ];
    for (const refused of queries) {
      const call = analysis.compareAttributes({ selection: refused, background: {}, limit: 1 });
      await expectStorageError(call, "STORAGE_BAD_QUERY");
    }
  });

  test("duration rank: a span among those of its operation", async () => {
    const service = newServiceName();
    const peers = Array.from({ length: 100 }, (_, index) =>
      sampleSpan({ service, name: "op", durationNano: BigInt(index + 1) * msNano }),
    );
    await write(store(), [
      ...peers,
      sampleSpan({ service, name: "other" }),
      sampleSpan({ service, name: "op", kind: "client" }),
    ]);
    const { analysis } = store();
    const query = {
      service,
      operation: "op",
      spanKind: "server",
      durationNano: 90n * msNano,
      range,
    } as const;
    const rank = await analysis.getDurationRank(query);
    expect(rank?.peers).toBe(100);
    expect(rank?.percentile).toBeCloseTo(0.9);
    expect(Math.abs((rank?.medianNano ?? 0) - 50e6)).toBeLessThanOrEqual(1e6);
    expect(Math.abs((rank?.p95Nano ?? 0) - 95e6)).toBeLessThanOrEqual(1e6);
    expect(Math.abs((rank?.p99Nano ?? 0) - 99e6)).toBeLessThanOrEqual(1e6);
    const { spanKind: _, ...everyKind } = query;
    expect((await analysis.getDurationRank(everyKind))?.peers).toBe(101);
    expect(await analysis.getDurationRank({ ...query, operation: "none" })).toBeUndefined();
    expect(await analysis.getDurationRank(query, { tenant: "nobody" })).toBeUndefined();
    const later = { startUnixNano: noonUnixNano + 1n, endUnixNano: noonUnixNano + secondNano };
    expect(await analysis.getDurationRank({ ...query, range: later })).toBeUndefined();
  });

  test("duration ranks: many operations at once, in their order", async () => {
    const service = newServiceName();
    const peers = Array.from({ length: 100 }, (_, index) =>
      sampleSpan({ service, name: "op", durationNano: BigInt(index + 1) * msNano }),
    );
    const quoted = 'it\'s "1\\2"';
    await write(store(), [
      ...peers,
      sampleSpan({ service, name: "op", kind: "client" }),
      sampleSpan({ service, name: quoted, durationNano: 7n * msNano }),
      sampleSpan({ service, name: "later", ...at(3_600) }),
    ]);
    const { analysis } = store();
    // More texts than one query can contain.
    const unknown = Array.from({ length: 300 }, (_, index) => ({
      ...{ service, operation: `an operation with a long name, number ${index}`, durationsNano: [1n] },
    }));
    const operations = [
      { service, operation: "op", spanKind: "server", durationsNano: [90n * msNano, 10n * msNano] },
      ...unknown,
      { service, operation: "op", durationsNano: [200n * msNano] },
      { service, operation: quoted, durationsNano: [7n * msNano] },
      { service, operation: "later", durationsNano: [msNano] },
    ] as const;
    const ranks = await analysis.getDurationRanks({ operations, range: oneMinute });
    expect(ranks).toHaveLength(304);
    expect(ranks.slice(1, 301).filter((rank) => rank !== undefined)).toEqual([]);
    const [first, all, ofQuoted, later] = [ranks[0], ...ranks.slice(301)];
    expect(first?.peers).toBe(100);
    const [long = 0, short = 0] = first?.percentiles ?? [];
    expect(Math.abs(long - 0.9)).toBeLessThan(0.05);
    expect(Math.abs(short - 0.1)).toBeLessThan(0.05);
    expect(first?.medianNano).toBeGreaterThan(45e6);
    expect(first?.medianNano).toBeLessThan(55e6);
    expect(all).toMatchObject({ peers: 101, percentiles: [1] });
    expect(ofQuoted).toMatchObject({ peers: 1, percentiles: [1] });
    expect(later).toBeUndefined();
    expect(await analysis.getDurationRanks({ operations: [], range: oneMinute })).toEqual([]);
    const one = { operations: operations.slice(0, 1), range: oneMinute };
    expect(await analysis.getDurationRanks(one, { tenant: "nobody" })).toEqual([undefined]);
    // A name that is too long for a query costs no rank of another operation.
    const tooLong = { service, operation: "ä".repeat(2_000), durationsNano: [1n] };
    const beside = { operations: [tooLong, ...one.operations], range: oneMinute };
    expect(await analysis.getDurationRanks(beside)).toEqual([undefined, first]);
  });

  test("kind and error are conditions of a filter, whatever the format", async () => {
    const service = newServiceName();
    await write(store(), [
      sampleSpan({ service, name: "a", kind: "client", ...failed }),
      sampleSpan({ service, name: "b", format: "jaeger", kind: "client" }),
      sampleSpan({ service, name: "c", format: "jaeger", ...failed }),
    ]);
    const { analysis, reader } = store();
    const spansOf = async (filter: SpanFilter) => {
      const { cells } = await analysis.getHeatMap({ service, range, columns: 1, ...filter });
      return cells.reduce((sum, { spans }) => sum + spans, 0);
    };
    expect(await spansOf({ spanKind: "client" })).toBe(2);
    expect(await spansOf({ spanKind: "client", hasError: true })).toBe(1);
    expect(await spansOf({ spanKind: "producer" })).toBe(0);
    expect(await spansOf({ hasError: true })).toBe(2);
    expect(await spansOf({ hasError: false })).toBe(1);
    expect(
      await reader.findTraceIds({ service, spanKind: "client", hasError: false, limit: 9 }),
    ).toHaveLength(1);
    const comparison = await analysis.compareAttributes({
      selection: { service, hasError: true },
      background: { service, spanKind: "client" },
      limit: 1,
    });
    expect([comparison.selectedSpans, comparison.otherSpans]).toEqual([2, 1]);
  });

  test("top operations: by calls, errors, durations", async () => {
    const service = newServiceName();
    const one = (name: string, ms: bigint, facts: SpanFacts = {}) =>
      sampleSpan({ service, name, durationNano: ms * msNano, ...facts });
    await write(store(), [
      ...Array.from({ length: 5 }, () => one("often", 1n)),
      one("wrong", 2n, failed),
      one("wrong", 2n, failed),
      one("long", 100n, { kind: "consumer" }),
      one("long", 100n, at(3_600)),
    ]);
    const { analysis } = store();
    const names = async (order: "calls" | "errors" | "duration" | "p95", limit = 1) =>
      (await analysis.getTopOperations({ service, range: oneMinute, order, limit })).map(
        ({ operation }) => operation,
      );
    expect(await names("calls")).toEqual(["often"]);
    expect(await names("errors")).toEqual(["wrong"]);
    expect(await names("duration", 9)).toEqual(["long", "often", "wrong"]);
    expect(await names("p95")).toEqual(["long"]);
    const [long] = await analysis.getTopOperations({ service, range: oneMinute, limit: 1 });
    expect(long).toMatchObject({ service, spanKind: "consumer", calls: 1, errors: 0, durationNano: 100e6 });
    expect(long?.medianNano).toBeGreaterThan(83e6);
    expect(long?.p99Nano).toBeLessThan(120e6);
    expect(
      await analysis.getTopOperations({ service, range: oneMinute, limit: 1 }, { tenant: "nobody" }),
    ).toEqual([]);
  });

  test("critical path: time of traces by operation", async () => {
    const service = newServiceName();
    for (const traceId of [newTraceId(), newTraceId()]) {
      const root = sampleSpan({ service, traceId, name: "root", durationNano: 100n });
      const child = (name: string, start: bigint, durationNano: bigint) =>
        sampleSpan({
          ...{ service, traceId, name, durationNano, parentSpanId: root.spanId },
          startTimeUnixNano: noonUnixNano + start,
        });
      await write(store(), [root, child("hidden", 10n, 20n), child("waited for", 10n, 60n)]);
    }
    const { analysis } = store();
    expect(await analysis.getCriticalPath({ service, limit: 10 })).toEqual({
      traces: 2,
      durationNano: 200n,
      operations: [
        { service, operation: "waited for", durationNano: 120n, traces: 2 },
        { service, operation: "root", durationNano: 80n, traces: 2 },
      ],
    });
    expect((await analysis.getCriticalPath({ service, limit: 1 })).traces).toBe(1);
    expect((await analysis.getCriticalPath({ service, limit: 1 }, { tenant: "nobody" })).traces).toBe(0);
  });

  test("tail: spans are given once, after the cursor, of those that match", async () => {
    const service = newServiceName();
    const { analysis } = store();
    const start = await analysis.tail({ service, limit: 10 });
    expect(start.spans).toEqual([]);
    const spans = ["a", "b"].map((name) => sampleSpan({ service, name }));
    await write(store(), [...spans, sampleSpan()]);
    const query: TailQuery = { service, limit: 10, cursor: start.cursor };
    const seen: Span[] = [];
    let { cursor } = start;
    const follow = async () => {
      const tail = await analysis.tail({ ...query, cursor });
      ({ cursor } = tail);
      seen.push(...tail.spans);
      return seen.map(({ name }) => name).sort();
    };
    await expect.poll(follow, { timeout: 15_000, interval: 200 }).toEqual(["a", "b"]);
    await write(store(), [sampleSpan({ service, name: "c" })]);
    await expect.poll(follow, { timeout: 15_000, interval: 200 }).toEqual(["a", "b", "c"]);
    const early = await analysis.tail({ ...query, upTo: start.cursor });
    expect(early).toEqual({ spans: [], skipped: 0, cursor: start.cursor });
    const whole = await analysis.tail({ ...query, upTo: cursor });
    expect(whole.spans).toHaveLength(3);
    expect(whole.cursor).toBe(cursor);
    const again = await analysis.tail({ ...query, limit: 1 });
    expect(again.spans).toHaveLength(1);
    expect(again.skipped).toBe(2);
    expect((await analysis.tail({ ...query, operation: "b" })).spans.map(({ name }) => name)).toEqual(["b"]);
    expect((await analysis.tail(query, { tenant: "nobody" })).spans).toEqual([]);
    const asked = parseTraceQl("{ name = `a` } || { name = `c` && kind = server && resource.none = nil }");
    const some = await analysis.tail({ ...query, query: asked });
    expect(some.spans.map(({ name }) => name).sort()).toEqual(["a", "c"]);
    for (const text of ["{ } > { }", "{ } | count() > 1", "{ parent.a = 1 }", "{ } | rate()"]) {
      await expectStorageError(analysis.tail({ ...query, query: parseTraceQl(text) }), "STORAGE_BAD_QUERY");
    }
  });

  test("analysis: no text is taken for a part of the query", async () => {
    const service = newServiceName();
    const root = sampleSpan({ service });
    await write(store(), [root]);
    const { analysis, reader } = store();
    const texts = ["' OR 1 = 1 --", "\\' OR 1 = 1 --", "'); DROP TABLE spans; {tenant:String}\u0000\n"];
    const { cursor } = await analysis.tail({ limit: 1 });
    for (const text of texts) {
      const tags = new Map([
        [text, text],
        ["otel.scope.name", text],
      ]);
      const filter = { service, tags };
      const operation = { service, operation: text };
      const heatMaps = [{ service: text }, operation, filter].map((one) =>
        analysis.getHeatMap({ ...one, range, columns: 1 }),
      );
      const ofTenant = analysis.getHeatMap({ service, range, columns: 1 }, { tenant: text });
      for (const map of [...heatMaps, ofTenant]) {
        expect((await map).cells).toEqual([]);
      }
      const times = { startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano };
      const sides = { a: { ...filter, ...times }, b: { ...operation, ...times } };
      const [comparison, path, tail, rank, ranks, top, populations] = await Promise.all([
        analysis.compareAttributes({ selection: filter, background: operation, limit: 1 }),
        analysis.getCriticalPath({ ...filter, limit: 1 }),
        analysis.tail({ ...filter, limit: 1, cursor }),
        analysis.getDurationRank({ ...operation, durationNano: 1n, range }),
        analysis.getDurationRanks({ operations: [{ ...operation, durationsNano: [1n] }], range: oneMinute }),
        analysis.getTopOperations({ service: text, range: oneMinute, limit: 1 }),
        analysis.comparePopulations({ ...sides, limit: 1 }),
      ]);
      expect([populations.a.spans, populations.b.spans]).toEqual([0, 0]);
      expect([comparison.selectedSpans, comparison.otherSpans, path.traces]).toEqual([0, 0, 0]);
      expect([tail.spans, rank, ranks, top]).toEqual([[], undefined, [undefined], []]);
    }
    expect(await reader.getTraces([root.traceId])).toHaveLength(1);
  });

  test("analysis: what cannot be answered is refused", async () => {
    const { analysis } = store();
    const turned = { startUnixNano: 2n, endUnixNano: 1n };
    const beyond = { startUnixNano: 0n, endUnixNano: 2n ** 63n };
    const operation = { service: "s", operation: "o", durationNano: 1n };
    const durations = { service: "s", operation: "o", durationsNano: [1n] };
    const calls = [
      () => analysis.getHeatMap({ range, columns: 0 }),
      () => analysis.getHeatMap({ range, columns: 1_001 }),
      () => analysis.getHeatMap({ range: turned, columns: 1 }),
      () => analysis.getHeatMap({ range: beyond, columns: 1 }),
      () => analysis.compareAttributes({ selection: {}, background: {}, limit: 0 }),
      () => analysis.compareAttributes({ selection: {}, background: {}, limit: 1, maxSpans: 0 }),
      () => analysis.getDurationRank({ ...operation, range: turned }),
      () => analysis.getDurationRanks({ operations: [durations], range: turned }),
      () => analysis.getDurationRanks({ operations: Array.from({ length: 10_001 }, () => durations), range }),
      () => analysis.getTopOperations({ range, limit: 0 }),
      () => analysis.getTopOperations({ range: beyond, limit: 1 }),
      () => analysis.getCriticalPath({ limit: 0 }),
      () => analysis.tail({ limit: 0 }),
      () => analysis.tail({ limit: 10_001 }),
      () => analysis.tail({ limit: 1, cursor: "' OR 1" }),
      () => analysis.tail({ limit: 1, cursor: "1", upTo: "' OR 1" }),
    ];
    for (const call of calls) {
      await expectStorageError(call(), "STORAGE_BAD_QUERY");
    }
    const aborted = { signal: AbortSignal.abort() };
    for (const call of [
      () => analysis.getHeatMap({ range, columns: 1 }, aborted),
      () => analysis.compareAttributes({ selection: {}, background: {}, limit: 1 }, aborted),
      () => analysis.getDurationRank({ ...operation, range }, aborted),
      () => analysis.getDurationRanks({ operations: [durations], range }, aborted),
      () => analysis.getTopOperations({ range, limit: 1 }, aborted),
      () => analysis.getCriticalPath({ limit: 1 }, aborted),
      () => analysis.tail({ limit: 1 }, aborted),
    ]) {
      await expectStorageError(call(), "STORAGE_ABORTED");
    }
  });
}
