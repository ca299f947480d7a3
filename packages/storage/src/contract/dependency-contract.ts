import { expect } from "vitest";
import type { Span } from "wire/model";
import type { DependencyLink } from "../api/dependency-reader.ts";
import { adjustedLinksContract } from "./adjusted-contract.ts";
import {
  type ContractContext,
  expectStorageError,
  newToken,
  rowsOfTenant,
  write,
} from "./contract-context.ts";
import {
  msNano,
  newServiceName,
  newSpanId,
  newTraceId,
  noonUnixNano,
  type SpanFacts,
  sampleSpan,
} from "./sample-spans.ts";

const minuteNano = 60_000_000_000n;

/** A trace from `[id, parent id, service, kind]` of each span; ids are any short text. */
function traceOf(
  facts: SpanFacts,
  ...spans: readonly (readonly [id: string, parent: string, service: string, kind?: Span["kind"]])[]
): Span[] {
  const traceId = newTraceId();
  const ids = new Map([["", ""]]);
  const idOf = (name: string) => {
    const id = ids.get(name) ?? newSpanId();
    ids.set(name, id);
    return id;
  };
  return spans.map(([id, parent, service, kind = "internal"]) =>
    sampleSpan({
      traceId,
      spanId: idOf(id),
      parentSpanId: idOf(parent),
      service,
      kind,
      ...facts,
    }),
  );
}

/** Three service names of a test, in alphabetical order. */
function services(): [string, string, string] {
  return [newServiceName(), newServiceName(), newServiceName()];
}

/**
 * Contract of links between services. Parent and child spans may arrive in any order, in any block, and more than once.
 */
export function dependencyContract({ store, test }: ContractContext): void {
  adjustedLinksContract({ store, test });
  const around = { startUnixNano: noonUnixNano - minuteNano, endUnixNano: noonUnixNano + minuteNano };
  const linksOf = async (names: readonly string[], range = around, tenant = ""): Promise<string[]> => {
    const links = await store().dependencies.getDependencies(range, { tenant });
    const name = (service: string) => "ABC"[names.indexOf(service)] ?? service;
    return links
      .filter((link: DependencyLink) => names.includes(link.parent) || names.includes(link.child))
      .map(({ parent, child, callCount }) => `${name(parent)}>${name(child)} ${callCount}`);
  };

  test("dependencies: spans with a parent of another service are counted", async () => {
    const names = services();
    const [a, b, c] = names;
    await write(store(), [
      ...traceOf({}, ["1", "", a], ["2", "1", b], ["3", "2", c], ["4", "2", c], ["5", "2", b]),
      ...traceOf({}, ["1", "", a], ["2", "1", b], ["3", "1", c]),
    ]);
    expect(await linksOf(names)).toEqual(["A>B 2", "A>C 1", "B>C 2"]);
    const links = await store().dependencies.getDependencies(around);
    expect(links.find(({ parent }) => parent === a)?.source).toBe("");
  });

  test("dependencies: no parent stored, no link; nor from spans of another trace", async () => {
    const names = services();
    const [a, b] = names;
    const [parent] = traceOf({}, ["1", "", a]);
    await write(store(), [
      ...(parent === undefined ? [] : [parent, sampleSpan({ service: b, parentSpanId: parent.spanId })]),
      ...traceOf({}, ["2", "gone", b]),
    ]);
    expect(await linksOf(names)).toEqual([]);
  });

  test("dependencies: parent and child come in any order, in two blocks", async () => {
    const names = services();
    const [a, b] = names;
    for (let time = 0; time < 2; time++) {
      const [parent, child] = traceOf({}, ["1", "", a], ["2", "1", b]);
      const blocks = [parent, child].flatMap((span) => (span === undefined ? [] : [[span]]));
      for (const block of time === 0 ? blocks : blocks.reverse()) {
        await write(store(), block);
      }
    }
    expect(await linksOf(names)).toEqual(["A>B 2"]);
    expect(await linksOf(names)).toEqual(["A>B 2"]);
  });

  test("dependencies: a block written twice counts once", async () => {
    const names = services();
    const [a, b] = names;
    const [parent, child] = traceOf({}, ["1", "", a], ["2", "1", b]);
    if (parent === undefined || child === undefined) {
      throw new Error("no spans");
    }
    const both = traceOf({}, ["1", "", a], ["2", "1", b]);
    for (const block of [[child], [parent], both]) {
      const token = newToken();
      for (let time = 0; time < 2; time++) {
        await write(store(), block, token);
      }
    }
    expect(await linksOf(names)).toEqual(["A>B 2"]);
  });

  test("dependencies: a server that shares its id with a client is called by it", async () => {
    const names = services();
    const [a, b, c] = names;
    const facts: SpanFacts = { format: "zipkin" };
    await write(store(), [
      ...traceOf(facts, ["1", "", a, "client"], ["1", "", b, "server"], ["2", "1", c, "server"]),
      ...traceOf(facts, ["0", "", a, "server"], ["1", "0", a, "client"], ["1", "0", b, "server"]),
    ]);
    expect(await linksOf(names)).toEqual(["A>B 2", "B>C 1"]);
  });

  test("dependencies: a child counts in the minute in which it starts", async () => {
    const names = services();
    const [a, b] = names;
    await write(store(), traceOf({}, ["1", "", a], ["2", "1", b]));
    const inMinute = (minute: bigint) => {
      const startUnixNano = noonUnixNano + minute * minuteNano;
      return { startUnixNano: startUnixNano + 5n, endUnixNano: startUnixNano + minuteNano - 1n };
    };
    expect(await linksOf(names, inMinute(-1n))).toEqual([]);
    expect(await linksOf(names, inMinute(0n))).toEqual(["A>B 1"]);
    expect(await linksOf(names, inMinute(1n))).toEqual([]);
  });

  test("dependencies: no tenant sees links of another, nor calls into another", async () => {
    const names = services();
    const [a, b] = names;
    const trace = traceOf({}, ["1", "", a], ["2", "1", b]);
    const [parent, child] = trace;
    if (parent === undefined || child === undefined) {
      throw new Error("no spans");
    }
    const writeAs = (tenant: string, ...spans: Span[]) =>
      store().writer.writeSpans(rowsOfTenant(tenant, ...spans), { deduplicationToken: newToken() });
    await writeAs(`one ${a}`, ...trace);
    await writeAs(`two ${a}`, parent);
    await writeAs(`three ${a}`, child);
    expect(await linksOf(names, around, `one ${a}`)).toEqual(["A>B 1"]);
    for (const tenant of [`two ${a}`, `three ${a}`, ""]) {
      expect(await linksOf(names, around, tenant)).toEqual([]);
    }
  });

  test("dependencies: calls are told apart by how they end and how long they last", async () => {
    const names = services();
    const [a, b, c] = names;
    const tenant = `calls of ${a}`;
    const failed: SpanFacts = { status: { code: "error", message: "" } };
    const inTenant = async (...spans: Span[]) => {
      await store().writer.writeSpans(rowsOfTenant(tenant, ...spans), { deduplicationToken: newToken() });
    };
    const short: SpanFacts = { durationNano: 8n * msNano };
    const long: SpanFacts = { ...failed, durationNano: 800n * msNano };
    // Case one: parent and child in one block. Case two: in two blocks.
    for (const [facts, kind, child] of [
      [short, "server", b],
      [long, "server", b],
      [short, "consumer", c],
    ] as const) {
      await inTenant(...traceOf(facts, ["1", "", a], ["2", "1", child, kind]));
      const [parent, called] = traceOf(facts, ["1", "", a], ["2", "1", child, kind]);
      if (parent === undefined || called === undefined) {
        throw new Error("no spans");
      }
      await inTenant(called);
      await inTenant(parent);
    }
    const otherMinute = { startTimeUnixNano: noonUnixNano + minuteNano };
    await inTenant(...traceOf(otherMinute, ["1", "", a], ["2", "1", b]));
    const noonMs = Number(noonUnixNano / 1_000_000n);
    const minute = { startUnixMs: noonMs, endUnixMs: noonMs + 60_000 };
    const counts = await store().metrics.getCallCounts(minute, { tenant });
    const shown = counts.map(({ parent, child, spanKind, failed: isFailed, durationNano, calls }) => {
      const ms = Math.round(durationNano / 1e6);
      return `${parent === a ? "A" : parent}>${child === b ? "B" : "C"} ${spanKind} ${isFailed} ${ms} ${calls}`;
    });
    expect(shown.sort()).toEqual(["A>B server false 8 2", "A>B server true 828 2", "A>C consumer false 8 2"]);
    expect(await linksOf(names, around, tenant)).toEqual(["A>B 5", "A>C 2"]);
    expect(await store().metrics.getCallCounts(minute, { tenant: "nobody" })).toEqual([]);
    await expectStorageError(
      store().metrics.getCallCounts({ ...minute, endUnixMs: noonMs + 1 }, { tenant }),
      "STORAGE_BAD_QUERY",
    );
    const aborted = { tenant, signal: AbortSignal.abort() };
    await expectStorageError(store().metrics.getCallCounts(minute, aborted), "STORAGE_ABORTED");
  });

  test("dependencies: many calls whose parents never come do not hide those whose parents did", async () => {
    const names = services();
    const [a, b] = names;
    // These minutes belong to this test alone, because other tests do not wait for unsettled calls.
    const startTimeUnixNano = noonUnixNano - 600n * minuteNano;
    const range = { startUnixNano: startTimeUnixNano, endUnixNano: startTimeUnixNano + 1n };
    const lost = Array.from({ length: 1_200 }, () =>
      sampleSpan({ service: b, parentSpanId: newSpanId(), startTimeUnixNano }),
    );
    const [parent, child] = traceOf({ startTimeUnixNano }, ["1", "", a], ["2", "1", b]);
    if (parent === undefined || child === undefined) {
      throw new Error("no spans");
    }
    await write(store(), [...lost, child]);
    await write(store(), [parent]);
    expect(await linksOf(names, range)).toEqual(["A>B 1"]);
    const startUnixMs = Number(startTimeUnixNano / 1_000_000n);
    const minute = { startUnixMs, endUnixMs: startUnixMs + 60_000 };
    const counts = await store().metrics.getCallCounts(minute);
    expect(counts.map(({ parent, calls }) => [parent, calls])).toEqual([[a, 1]]);
  });
}
