import { expect } from "vitest";
import type { TraceQuery } from "../api/span-reader.ts";
import { type ContractContext, expectStorageError, write } from "./contract-context.ts";
import {
  msNano,
  newServiceName,
  newSpanId,
  newTraceId,
  noonUnixNano,
  type SpanFacts,
  sampleSpan,
  text,
} from "./sample-spans.ts";

interface SearchCase {
  readonly name: string;
  /** Conditions in addition to the service, which every search of this table names. */
  readonly query: Partial<TraceQuery>;
  readonly found: boolean;
}

/** The spans of one trace that every row of the table below searches. */
const wantedTrace: readonly SpanFacts[] = [
  {
    name: "POST /orders",
    kind: "server",
    startTimeUnixNano: noonUnixNano,
    durationNano: 50n * msNano,
    attributes: [text("http.method", "POST"), text("color", "red")],
    resource: { attributes: [text("host", "box-1")] },
    events: [
      {
        timeUnixNano: noonUnixNano,
        name: "",
        attributes: [text("level", "warn")],
        droppedAttributesCount: 0,
      },
    ],
  },
  {
    name: "SELECT orders",
    kind: "client",
    startTimeUnixNano: noonUnixNano + 10n * msNano,
    durationNano: 5n * msNano,
    attributes: [text("db.system", "postgres")],
    resource: { attributes: [text("host", "box-2")] },
  },
];

const tags = (...pairs: [string, string][]) => ({ tags: new Map(pairs) });

const searches: readonly SearchCase[] = [
  { name: "the service alone", query: {}, found: true },
  { name: "another service", query: { service: "nobody" }, found: false },
  { name: "every service", query: { service: "" }, found: true },
  { name: "an operation", query: { operation: "SELECT orders" }, found: true },
  { name: "every operation", query: { operation: "" }, found: true },
  { name: "the beginning of an operation", query: { operation: "SELECT" }, found: false },
  { name: "the first start, exactly", query: { startTimeMaxUnixNano: noonUnixNano }, found: true },
  { name: "one nanosecond before it", query: { startTimeMaxUnixNano: noonUnixNano - 1n }, found: false },
  {
    name: "the last start, exactly",
    query: { startTimeMinUnixNano: noonUnixNano + 10n * msNano },
    found: true,
  },
  {
    name: "a nanosecond behind it",
    query: { startTimeMinUnixNano: noonUnixNano + 10n * msNano + 1n },
    found: false,
  },
  {
    name: "a range that holds no start, though a span lasts through it",
    query: {
      startTimeMinUnixNano: noonUnixNano + 1n,
      startTimeMaxUnixNano: noonUnixNano + 10n * msNano - 1n,
    },
    found: false,
  },
  {
    name: "a range turned around",
    query: { startTimeMinUnixNano: noonUnixNano + 10n * msNano, startTimeMaxUnixNano: noonUnixNano },
    found: false,
  },
  {
    name: "bounds beyond 64 bits",
    query: { startTimeMinUnixNano: -(2n ** 70n), startTimeMaxUnixNano: 2n ** 70n },
    found: true,
  },
  { name: "the longest duration, exactly", query: { durationMinNano: 50n * msNano }, found: true },
  { name: "a nanosecond longer", query: { durationMinNano: 50n * msNano + 1n }, found: false },
  { name: "the shortest duration, exactly", query: { durationMaxNano: 5n * msNano }, found: true },
  { name: "a nanosecond shorter", query: { durationMaxNano: 5n * msNano - 1n }, found: false },
  {
    name: "durations of 0, which are no bounds",
    query: { durationMinNano: 0n, durationMaxNano: 0n },
    found: true,
  },
  { name: "a kind", query: { spanKind: "client" }, found: true },
  { name: "a kind that no span has", query: { spanKind: "producer" }, found: false },
  { name: "errors, where there are none", query: { hasError: true }, found: false },
  {
    name: "kind and operation of two spans",
    query: { spanKind: "client", operation: "POST /orders" },
    found: false,
  },
  { name: "an attribute of a span", query: tags(["http.method", "POST"]), found: true },
  { name: "an attribute of a resource", query: tags(["host", "box-2"]), found: true },
  { name: "an attribute of an event", query: tags(["level", "warn"]), found: true },
  {
    name: "three tags in three places",
    query: tags(["color", "red"], ["host", "box-1"], ["level", "warn"]),
    found: true,
  },
  { name: "the value of another key", query: tags(["http.method", "red"]), found: false },
  { name: "the beginning of a value", query: tags(["http.method", "PO"]), found: false },
  { name: "a key in another case", query: tags(["HTTP.method", "POST"]), found: false },
  { name: "an unknown key with an empty value", query: tags(["nothing", ""]), found: false },
  { name: "two tags of two spans", query: tags(["color", "red"], ["db.system", "postgres"]), found: false },
  { name: "tag and resource of two spans", query: tags(["color", "red"], ["host", "box-2"]), found: false },
  {
    name: "operation and tag of two spans",
    query: { operation: "SELECT orders", ...tags(["color", "red"]) },
    found: false,
  },
  {
    name: "operation and duration of two spans",
    query: { operation: "SELECT orders", durationMinNano: 6n * msNano },
    found: false,
  },
  {
    name: "start and duration of two spans",
    query: { startTimeMinUnixNano: noonUnixNano + msNano, durationMinNano: 6n * msNano },
    found: false,
  },
  {
    name: "everything of one span",
    query: {
      operation: "POST /orders",
      startTimeMinUnixNano: noonUnixNano,
      startTimeMaxUnixNano: noonUnixNano,
      durationMinNano: 50n * msNano,
      durationMaxNano: 50n * msNano,
      ...tags(["http.method", "POST"], ["host", "box-1"], ["level", "warn"]),
    },
    found: true,
  },
];

/** A trace is found when one of its spans satisfies every condition. */
export function searchContract({ store, test }: ContractContext): void {
  for (const { name, query, found } of searches) {
    test(`search: ${found ? "finds" : "does not find"} ${name}`, async () => {
      const service = newServiceName();
      const traceId = newTraceId();
      const spans = wantedTrace.map(({ resource, ...facts }) => {
        const attributes = [text("service.name", service), ...(resource?.attributes ?? [])];
        return sampleSpan({ ...facts, service, traceId, resource: { attributes } });
      });
      await write(store(), spans);
      const traces = await store().reader.findTraces({ service, limit: 1_000, ...query });
      // A search over every service also finds the traces of other tests.
      expect(traces.filter((trace) => trace.traceId === traceId)).toEqual(found ? [{ traceId, spans }] : []);
    });
  }

  test("search: newest first by the newest matching span, and no more than the limit", async () => {
    const service = newServiceName();
    const span = (traceId: string, name: string, second: bigint) =>
      sampleSpan({ traceId, service, name, startTimeUnixNano: noonUnixNano + second * 1_000n * msNano });
    const [oldest, middle, newest] = [newTraceId(), newTraceId(), newTraceId()];
    await write(store(), [
      span(middle, "wanted", 5n),
      span(oldest, "wanted", 1n),
      span(oldest, "other", 90n),
      span(newest, "wanted", 2n),
      span(newest, "wanted", 9n),
    ]);
    const search = { service, operation: "wanted" };
    const { reader } = store();
    expect(await reader.findTraceIds({ ...search, limit: 10 })).toEqual([newest, middle, oldest]);
    expect(await reader.findTraceIds({ ...search, limit: 2 })).toEqual([newest, middle]);
    const traces = await reader.findTraces({ ...search, limit: 10 });
    expect(traces.map((trace) => [trace.traceId, trace.spans.length])).toEqual([
      [newest, 2],
      [middle, 1],
      [oldest, 2],
    ]);
  });

  test("search: returns the whole trace, other services included", async () => {
    const service = newServiceName();
    const traceId = newTraceId();
    const spans = [
      sampleSpan({ traceId, service: "gateway", startTimeUnixNano: noonUnixNano - msNano }),
      sampleSpan({ traceId, service, spanId: newSpanId() }),
    ];
    await write(store(), spans);
    expect(await store().reader.findTraces({ service, limit: 1 })).toEqual([{ traceId, spans }]);
  });

  for (const limit of [0, -1, 1.5, Number.NaN]) {
    test(`search: refuses a limit of ${limit}`, async () => {
      await expectStorageError(store().reader.findTraces({ limit }), "STORAGE_BAD_QUERY");
    });
  }

  const textOf = (length: number) => "x".repeat(length);
  const numbered = (count: number) =>
    tags(...Array.from({ length: count }, (_, index): [string, string] => [`key ${index}`, "v"]));
  for (const [name, query] of [
    ["65 tags", numbered(65)],
    ["a long tag", tags(["key", textOf(8_192)])],
    ["a long service", { service: textOf(8_193) }],
    ["a long operation", { operation: textOf(8_193) }],
    ["texts that are long together", { service: textOf(4_096), operation: textOf(4_097) }],
    ["a text that percent-encoding makes long", { operation: "\\".repeat(1_366) }],
  ] as const) {
    test(`search: refuses ${name}`, async () => {
      await expectStorageError(store().reader.findTraces({ ...query, limit: 1 }), "STORAGE_BAD_QUERY");
    });
  }

  for (const [name, query] of [
    ["64 tags", numbered(64)],
    ["a service of 8 KiB", { service: textOf(8_192) }],
    ["8 KiB of what needs encoding and escaping", { operation: "\\'~\n".repeat(390) }],
    ["half of a surrogate pair", { operation: "\ud800" }],
  ] as const) {
    test(`search: takes ${name}`, async () => {
      expect(await store().reader.findTraces({ ...query, limit: 1 })).toEqual([]);
    });
  }

  test("operations: refuses a long service", async () => {
    const work = store().reader.getOperations({ service: textOf(8_193) });
    await expectStorageError(work, "STORAGE_BAD_QUERY");
  });
}
