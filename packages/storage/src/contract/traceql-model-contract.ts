import fc from "fast-check";
import { parseTraceQl, printTraceQl, type TraceQlQuery } from "traceql";
import { type QueryVocabulary, queryArbitrary } from "traceql/testing";
import { expect } from "vitest";
import type { Attribute, AttributeValue, Span } from "wire/model";
import type { TimeRange } from "../api/analysis-reader.ts";
import { StorageError } from "../api/storage-error.ts";
import type { TraceStore } from "../api/trace-store.ts";
import type { TraceQlMetrics, TraceQlReader, TraceQlSearch } from "../api/traceql-reader.ts";
import { openMemoryStore } from "../engines/memory/memory-store.ts";
import { type ContractContext, newToken, rowsOfTenant } from "./contract-context.ts";
import { msNano, newServiceName, newTraceId, noonUnixNano, sampleSpan, text } from "./sample-spans.ts";

const minuteNano = 60_000_000_000n;
const aroundNoon = {
  startUnixNano: noonUnixNano - 50n * minuteNano,
  endUnixNano: noonUnixNano + 50n * minuteNano,
};

/** Distance after which times in seconds repeat in a store with unsigned 32-bit numbers: about 136 years. */
const turnNano = 2n ** 32n * 1_000_000_000n;
const otherTimesNano = [
  -turnNano,
  turnNano,
  -90n * 366n * 1_440n * minuteNano,
  120n * 365n * 1_440n * minuteNano,
];

/** Time ranges of queries: mostly around noon, some longer. */
const rangeArbitrary: fc.Arbitrary<TimeRange> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(aroundNoon) },
  fc.constantFrom(
    { startUnixNano: noonUnixNano - 2n * turnNano, endUnixNano: noonUnixNano + 10n * minuteNano },
    {
      startUnixNano: noonUnixNano + turnNano - minuteNano,
      endUnixNano: noonUnixNano + turnNano + 10n * minuteNano,
    },
  ),
);

/** A small vocabulary, so that queries often match. */
const words: QueryVocabulary = {
  names: ["a", "b", "c", "service.name"],
  strings: ["x", "y", "", "1", "one"],
  regexes: ["x|y", ".*", "o.*", "[0-9]+"],
  ints: [0n, 1n, 2n, 1_000_000n],
  floats: [0.5, 1, 2.5],
  durations: [1_000_000n, 5_000_000n, 0n],
  intrinsics: [
    ...([
      "span:duration",
      "span:name",
      "span:status",
      "span:statusMessage",
      "span:kind",
      "span:parentID",
    ] as const),
    ...(["span:childCount", "trace:duration", "trace:rootName", "trace:rootService", "event:name"] as const),
    ...(["event:timeSinceStart", "link:spanID", "instrumentation:name", "instrumentation:version"] as const),
    ...(["nestedSetLeft", "nestedSetRight", "nestedSetParent"] as const),
  ],
};

/** Runs random queries on random traces, and compares the store's answers with a plain evaluation of every span. */
export function traceqlModelContract({ store, test }: ContractContext): void {
  test("traceql: any query is answered as one that looks at every span answers it", async () => {
    const tenant = newServiceName();
    const spans = fc.sample(traceArbitrary, { numRuns: 120, seed: 7 }).flat();
    const rows = rowsOfTenant(tenant, ...spans);
    const model = openMemoryStore();
    await model.writer.writeSpans(rows, { deduplicationToken: newToken() });
    await store().writer.writeSpans(rows, { deduplicationToken: newToken() });
    const numRuns = Number(process.env.FUZZ_ROUNDS ?? 40);
    await fc.assert(
      fc.asyncProperty(
        queryArbitrary(words),
        rangeArbitrary,
        fc.integer({ min: 1, max: 200 }),
        async (query, range, limit) => {
          const [own, other] = await Promise.all([
            unlessRefused(query, answer(store().traceql, query, range, limit, tenant)),
            answer(model.traceql, query, range, limit, tenant),
          ]);
          if (own === refused) {
            return;
          }
          expect([printTraceQl(query), own]).toEqual([printTraceQl(query), other]);
        },
      ),
      { numRuns },
    );
  });
  comparisonModel({ store, test });
}

const refused = Symbol("refused");

/** An engine may refuse comparisons that it cannot turn into a condition on spans. */
async function unlessRefused(query: TraceQlQuery, own: Promise<unknown>): Promise<unknown> {
  const isComparison = query.type === "metrics" && query.expression.type === "metrics-comparison";
  return await own.catch((error: unknown) => {
    if (isComparison && error instanceof StorageError && error.code === "STORAGE_BAD_QUERY") {
      return refused;
    }
    throw error;
  });
}

/** Maximum number of spans on each side. Even a tenth of it exceeds the number of random spans, so all are compared. */
const comparedSpans = 100_000;

/**
 * Random comparisons of attributes, checked against the memory store, which evaluates every span. An engine may refuse
 * queries that it cannot turn into a condition on spans.
 */
function comparisonModel({ store, test }: ContractContext): void {
  test("comparison: a query selects the spans that looking at every span selects", async () => {
    const tenant = newServiceName();
    const rows = rowsOfTenant(tenant, ...fc.sample(traceArbitrary, { numRuns: 120, seed: 8 }).flat());
    const model = openMemoryStore();
    for (const { writer } of [model, store()]) {
      await writer.writeSpans(rows, { deduplicationToken: newToken() });
    }
    const times = {
      startTimeMinUnixNano: aroundNoon.startUnixNano,
      startTimeMaxUnixNano: aroundNoon.endUnixNano,
    };
    const ask = ({ analysis }: TraceStore, query: TraceQlQuery) =>
      analysis.compareAttributes(
        { selection: { ...times, query }, background: times, limit: 10_000, maxSpans: comparedSpans },
        { tenant },
      );
    const numRuns = Number(process.env.FUZZ_ROUNDS ?? 20);
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(queryArbitrary(words), async (query) => {
        if (query.type !== "search") {
          return;
        }
        const own = await ask(store(), query).catch((error: unknown) => {
          if (error instanceof StorageError && error.code === "STORAGE_BAD_QUERY") {
            return undefined;
          }
          throw error;
        });
        if (own === undefined) {
          return;
        }
        answered++;
        expect([printTraceQl(query), own]).toEqual([printTraceQl(query), await ask(model, query)]);
      }),
      // ClickHouse extracts scope attributes from a text, with an expression that names a long type.
      { numRuns, examples: [[parseTraceQl('{ instrumentation.a = "x" }')]] },
    );
    expect(answered).toBeGreaterThan(0);
  });
}

async function answer(
  reader: TraceQlReader,
  query: TraceQlQuery,
  range: TimeRange,
  limit: number,
  tenant: string,
): Promise<unknown> {
  if (query.type === "search") {
    return compared(await reader.search({ query, range, limit, spansPerSpanset: 5 }, { tenant }));
  }
  // Metrics start in 1970 and have a limit of samples, so earlier ranges are replaced.
  const ofMetrics = range.startUnixNano < 0n ? aroundNoon : range;
  return rounded(
    await reader.metrics(
      { query, range: ofMetrics, stepNano: 10n * minuteNano, maxSeries: 10_000 },
      { tenant },
    ),
  );
}

function compared({ traces }: TraceQlSearch): unknown {
  return traces;
}

/** Rounds values, because sums of doubles depend on the order of addition. */
function rounded({ series, truncated }: TraceQlMetrics): unknown {
  return {
    truncated,
    series: series.map(({ labels, samples }) => ({
      labels,
      samples: samples.map(({ unixNano, value }) => ({ unixNano, value: Number(value.toPrecision(9)) })),
    })),
  };
}

const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...words.strings).map((text) => ({ type: "string", value: text }) as const),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...words.ints).map((int) => ({ type: "int", value: int }) as const),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...words.floats).map((float) => ({ type: "double", value: float }) as const),
  },
  { weight: 2, arbitrary: fc.boolean().map((bool) => ({ type: "bool", value: bool }) as const) },
  fc.constant({ type: "empty" } as const),
  fc.constant({ type: "bytes", value: Buffer.from([1]) } as const),
  fc.constant({ type: "kvlist", value: [text("a", "x")] } as const),
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...words.strings).map((text) => ({ type: "string", value: text }) as const),
        fc.constantFrom(...words.ints).map((int) => ({ type: "int", value: int }) as const),
        fc.constantFrom(...words.floats).map((float) => ({ type: "double", value: float }) as const),
        fc.boolean().map((bool) => ({ type: "bool", value: bool }) as const),
        fc.constant({ type: "empty" } as const),
      ),
      { maxLength: 3 },
    )
    .map((list) => ({ type: "array", value: list }) as const),
);

const attributes: fc.Arbitrary<Attribute[]> = fc.array(
  fc.record({ key: fc.constantFrom("a", "b", "c"), value }),
  { maxLength: 3 },
);

const traceArbitrary: fc.Arbitrary<Span[]> = fc
  .tuple(
    fc.bigInt({ min: -130n, max: 130n }),
    fc.array(
      fc.record({
        // Index of a span of the trace; an index past the end names no span.
        parent: fc.integer({ min: -1, max: 6 }),
        id: fc.integer({ min: 0, max: 40 }),
        startMs: fc.bigInt({ min: -60_000n, max: 600_000n }),
        otherTime: fc.oneof({ weight: 12, arbitrary: fc.constant(0n) }, fc.constantFrom(...otherTimesNano)),
        durationMs: fc.bigInt({ min: 0n, max: 8n }),
        service: fc.constantFrom("x", "y", "one"),
        name: fc.constantFrom("x", "y", "one", "1"),
        kind: fc.constantFrom("server", "client", "internal", "unspecified"),
        status: fc.constantFrom("unset", "ok", "error"),
        message: fc.constantFrom("", "x"),
        own: attributes,
        resource: attributes,
        scope: attributes,
        events: fc.array(
          fc.record({ name: fc.constantFrom("x", "y"), atMs: fc.bigInt({ min: 0n, max: 6n }), attributes }),
          { maxLength: 2 },
        ),
        links: fc.array(attributes, { maxLength: 1 }),
      }),
      { minLength: 1, maxLength: 7 },
    ),
  )
  .map(([minutes, facts]) => {
    const traceId = newTraceId();
    const idOf = (index: number) => (facts[index]?.id ?? 999).toString(16).padStart(16, "a");
    return facts.map((fact, index) => {
      const startTimeUnixNano =
        noonUnixNano + fact.otherTime + minutes * minuteNano + fact.startMs * msNano + BigInt(index);
      return sampleSpan({
        ...{
          traceId,
          service: fact.service,
          name: fact.name,
          kind: fact.kind as Span["kind"],
          startTimeUnixNano,
        },
        spanId: idOf(index),
        parentSpanId: fact.parent < 0 ? "" : idOf(fact.parent),
        durationNano: fact.durationMs * msNano,
        status: { code: fact.status as Span["status"]["code"], message: fact.message },
        attributes: fact.own,
        resource: { serviceName: fact.service, attributes: fact.resource },
        scope: { name: fact.message, version: "1", attributes: fact.scope },
        events: fact.events.map((event) => ({
          ...{ name: event.name, attributes: event.attributes, droppedAttributesCount: 0 },
          timeUnixNano: startTimeUnixNano + event.atMs * msNano,
        })),
        links: fact.links.map((ofLink) => ({
          ...{
            traceId: "f".repeat(32),
            spanId: idOf(0),
            traceState: "",
            droppedAttributesCount: 0,
            flags: 0,
          },
          ...{ refType: "none", attributes: ofLink },
        })),
      });
    });
  });
