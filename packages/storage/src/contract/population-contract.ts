import { parseTraceQl } from "traceql";
import { expect } from "vitest";
import type { SpanSelection } from "../api/analysis-reader.ts";
import { type ContractContext, expectStorageError, write } from "./contract-context.ts";
import { msNano, newServiceName, noonUnixNano, type SpanFacts, sampleSpan, text } from "./sample-spans.ts";

const secondNano = 1_000_000_000n;
const failed: SpanFacts = { status: { code: "error", message: "" } };

/** A range of 100 seconds that begins `seconds` after noon. */
function times(seconds: number): Pick<SpanSelection, "startTimeMinUnixNano" | "startTimeMaxUnixNano"> {
  const from = noonUnixNano + BigInt(seconds) * secondNano;
  return { startTimeMinUnixNano: from, startTimeMaxUnixNano: from + 100n * secondNano - 1n };
}

/** Contract of the comparison of two populations. */
export function populationContract({ store, test }: ContractContext): void {
  test("populations: times, their operations, and the value that explains the difference", async () => {
    const service = newServiceName();
    const spans = (from: number, slow: bigint) =>
      Array.from({ length: 100 }, (_, index) =>
        sampleSpan({
          ...{ service, name: index % 2 === 0 ? "even" : "odd" },
          startTimeUnixNano: noonUnixNano + BigInt(from + index) * secondNano,
          durationNano: (index % 4 === 0 ? slow : 1n) * msNano,
          attributes: [text("quarter", String(index % 4)), text("all", "1"), text("only", String(from))],
          ...(index === 0 ? failed : {}),
        }),
      );
    await write(store(), [...spans(0, 9n), ...spans(1_000, 1n), sampleSpan({ service: newServiceName() })]);
    const query = { a: { service, ...times(0) }, b: { service, ...times(1_000) }, limit: 50 };
    const found = await store().analysis.comparePopulations(query);
    const nanos = (ms: number) => ms * 1e6;
    expect(found.a).toMatchObject({ spans: 100, errors: 1, durationNano: nanos(300), longestNano: nanos(9) });
    expect(found.b).toMatchObject({ spans: 100, errors: 1, durationNano: nanos(100), longestNano: nanos(1) });
    expect(found.a.buckets.map(([, count]) => count)).toEqual([75, 25]);
    expect(found.operations).toMatchObject([
      { service, operation: "even", spanKind: "server", a: { spans: 50, durationNano: nanos(250) } },
      { service, operation: "odd", a: { spans: 50, errors: 0 }, b: { spans: 50, durationNano: nanos(50) } },
    ]);
    expect(found.sample.a).toEqual({ spans: 100, errors: 1, durationNano: nanos(300) });
    const listed = found.attributes.filter(({ place }) => place === "span");
    // The result lists values that only one side has, and values that explain the difference. It does not list values
    // that are equally frequent on both sides.
    expect(listed).toEqual(
      [
        {
          place: "span",
          key: "only",
          value: "0",
          a: found.sample.a,
          b: { spans: 0, errors: 0, durationNano: 0 },
        },
        expect.objectContaining({ key: "only", value: "1000" }),
        expect.objectContaining({
          key: "quarter",
          value: "0",
          a: { spans: 25, errors: 1, durationNano: nanos(225) },
        }),
      ].toSorted((x, y) => (JSON.stringify([x.key, x.value]) < JSON.stringify([y.key, y.value]) ? -1 : 1)),
    );
    const few = await store().analysis.comparePopulations({ ...query, limit: 1, maxSpans: 60 });
    expect([few.operations.length, few.attributes.length]).toEqual([1, 1]);
    expect(few.a.spans).toBe(100);
    expect(few.sample.a.spans).toBeGreaterThan(20);
    expect(few.sample.a.spans).toBeLessThan(100);
  });

  test("populations: versions, by attributes and TraceQL, and of one tenant", async () => {
    const service = newServiceName();
    const of = (version: string, ms: bigint, count: number) =>
      Array.from({ length: count }, () =>
        sampleSpan({
          service,
          resource: { attributes: [text("service.version", version)] },
          durationNano: ms * msNano,
        }),
      );
    await write(store(), [...of("2", 4n, 3), ...of("1", 2n, 2)]);
    const { analysis } = store();
    const a = { service, tags: new Map([["service.version", "2"]]), ...times(0) };
    const b = { query: parseTraceQl(`{ resource.service.name = "${service}" }`), ...times(0) };
    const found = await analysis.comparePopulations({ a, b, limit: 9 });
    expect([found.a.spans, found.b.spans]).toEqual([3, 2]);
    const others = await analysis.comparePopulations({ a, b, limit: 9 }, { tenant: "nobody" });
    expect(others).toMatchObject({ a: { spans: 0 }, b: { spans: 0 }, operations: [], attributes: [] });
    for (const refused of [
      { a, b: { service }, limit: 1 },
      { a, b, limit: 0 },
      { a, b, limit: 1, maxSpans: 200_001 },
      { a, b: { query: parseTraceQl("{ } | rate()"), ...times(0) }, limit: 1 },
    ]) {
      await expectStorageError(analysis.comparePopulations(refused), "STORAGE_BAD_QUERY");
    }
  });
}
