import { expect } from "vitest";
import { fastBucket, fastBucketNano, type GoodCountsQuery } from "../api/good-counts.ts";
import { type ContractContext, expectStorageError, newToken, rowsOfTenant } from "./contract-context.ts";
import { msNano, newServiceName, noonUnixNano, type SpanFacts, sampleSpan } from "./sample-spans.ts";

const minuteMs = 60_000;
const noonUnixMs = Number(noonUnixNano / 1_000_000n);

/** A span that starts `seconds` after noon. */
function spanAt(seconds: number, facts: SpanFacts) {
  return sampleSpan({ startTimeUnixNano: noonUnixNano + BigInt(seconds) * 1_000_000_000n, ...facts });
}

const failed: SpanFacts = { status: { code: "error", message: "" } };
const ms = (duration: bigint) => ({ durationNano: duration * msNano });

/** Contract of counts of good spans, which service level objectives use. */
export function goodCountsContract({ store, test }: ContractContext): void {
  const queryOf = (service: string, changes: Partial<GoodCountsQuery> = {}): GoodCountsQuery => ({
    ...{ service, operations: [], spanKinds: ["server"], stepMs: minuteMs },
    ...{ startUnixMs: noonUnixMs, endUnixMs: noonUnixMs + 4 * minuteMs },
    ...changes,
  });
  const write = (tenant: string, ...spans: ReturnType<typeof spanAt>[]) =>
    store().writer.writeSpans(rowsOfTenant(tenant, ...spans), { deduplicationToken: newToken() });

  test("metrics: good spans are counted by step, by error and by duration", async () => {
    const tenant = `good ${newServiceName()}`;
    const service = "shop";
    await write(
      tenant,
      spanAt(0, { service, name: "a", ...ms(10n) }),
      spanAt(59, { service, name: "a", ...ms(900n) }),
      spanAt(1, { service, name: "b", ...failed, ...ms(10n) }),
      spanAt(2, { service, name: "a", kind: "client", ...failed }),
      spanAt(180, { service, name: "it's", ...ms(10n) }),
      spanAt(-1, { service }),
      spanAt(240, { service }),
      spanAt(0, { service: "other" }),
    );
    const counts = async (changes: Partial<GoodCountsQuery> = {}, of = tenant) =>
      (await store().metrics.getGoodCounts(queryOf(service, changes), { tenant: of })).map(
        ({ step, total, good }) => [step, total, good],
      );
    expect(await counts()).toEqual([
      [0, 3, 2],
      [3, 1, 1],
    ]);
    expect(await counts({ stepMs: 3 * minuteMs, endBucket: fastBucket(300e6) })).toEqual([
      [0, 3, 1],
      [1, 1, 1],
    ]);
    expect(await counts({ endBucket: fastBucket(1) })).toEqual([
      [0, 3, 0],
      [3, 1, 0],
    ]);
    expect(await counts({ operations: ["b", "it's"] })).toEqual([
      [0, 1, 0],
      [3, 1, 1],
    ]);
    expect(await counts({ spanKinds: ["client", "consumer"] })).toEqual([[0, 1, 0]]);
    expect(await counts({}, "nobody")).toEqual([]);
    expect(fastBucketNano(fastBucket(300e6)) / 300e6).toBeCloseTo(1, 1);
  });

  test("metrics: good spans that were sampled count as what they stand for", async () => {
    const tenant = `good ${newServiceName()}`;
    const service = "shop";
    await write(
      tenant,
      spanAt(0, { service, traceState: "ot=th:8" }),
      spanAt(0, { service, traceState: "ot=th:c", ...failed }),
      spanAt(0, { service }),
    );
    expect(await store().metrics.getGoodCounts(queryOf(service), { tenant })).toEqual([
      { step: 0, total: 7, good: 3 },
    ]);
  });

  test("metrics: counts of good spans that cannot be answered are refused", async () => {
    const wrong: Partial<GoodCountsQuery>[] = [
      { spanKinds: [] },
      { service: "x".repeat(9_000) },
      { operations: Array.from({ length: 101 }, String) },
      { stepMs: 1_000 },
      { startUnixMs: noonUnixMs + 1 },
      { endUnixMs: noonUnixMs },
      { endUnixMs: noonUnixMs + 751 * minuteMs },
    ];
    for (const changes of wrong) {
      await expectStorageError(store().metrics.getGoodCounts(queryOf("s", changes)), "STORAGE_BAD_QUERY");
    }
  });
}
