import { afterAll, beforeAll, expect, test } from "vitest";
import { otlpSpan, sampleStore } from "../../service/sample-store.ts";
import { openSampleServer, type SampleServer } from "../../testing/sample-server.ts";
import { countingStore } from "../../usage/counting-store.ts";
import { SearchCounts } from "../../usage/search-counts.ts";

/** 3 minutes ago, on a whole minute. */
const startMs = Math.floor(Date.now() / 60_000) * 60_000 - 180_000;
const range = `start=${startMs * 1_000}&end=${(startMs + 60_000) * 1_000}`;

async function serve(services: number) {
  const spans = Array.from({ length: services }, (_, index) =>
    otlpSpan({
      service: `s${String(index).padStart(4, "0")}`,
      traceId: (index + 1).toString(16).padStart(32, "0"),
      startTimeUnixNano: BigInt(startMs + index) * 1_000_000n,
      attributes: [
        { key: "big", value: { type: "string", value: "x".repeat(1_000) } },
        { key: "small", value: { type: "int", value: 1n } },
      ],
    }),
  );
  const store = await sampleStore(spans);
  const searchCounts = new SearchCounts();
  return await openSampleServer({ ...store, ...countingStore(store, searchCounts) }, { searchCounts });
}

interface Usage {
  readonly spans: number;
  readonly total: number;
  readonly isWhole: boolean;
  readonly sample: { readonly traces: number; readonly spans: number };
  readonly services: readonly {
    readonly name: string;
    readonly spans: number;
    readonly estimatedBytes: number | null;
    readonly searches: number;
  }[];
  readonly attributes: readonly {
    readonly scope: string;
    readonly name: string;
    readonly share: number;
    readonly estimatedBytes: number | null;
    readonly searches: number;
  }[];
}

async function usageOf({ base }: SampleServer, query = ""): Promise<Usage> {
  const response = await fetch(`${base}/api/analysis/v1/usage?${range}&${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Usage;
}

test.each([1, 101, 1_500])(
  "%i services: spans are counted, bytes are estimated where the sample has any",
  async (count) => {
    const server = await serve(count);
    const usage = await usageOf(server, "limit=200");
    const last = await usageOf(server, `limit=200&offset=${count - 1}`);
    await server.stop(AbortSignal.abort());
    expect([usage.spans, usage.total, usage.isWhole]).toEqual([count, count, true]);
    expect([usage.services.length, last.services.length]).toEqual([Math.min(count, 200), 1]);
    expect(usage.sample.spans).toBe(Math.min(count, 100));
    const known = [...usage.services, ...last.services].filter(
      ({ estimatedBytes }) => estimatedBytes !== null,
    );
    expect(
      known.every(({ estimatedBytes }) => (estimatedBytes ?? 0) > 1_000 && (estimatedBytes ?? 0) < 1_200),
    ).toBe(true);
    if (count === 1_500) {
      // A service outside of the sample has no figure, rather than one that looks measured.
      expect(usage.services.some(({ estimatedBytes }) => estimatedBytes === null)).toBe(true);
    }
    const [largest] = usage.attributes;
    expect(largest).toMatchObject({ scope: "span", name: "big", estimatedBytes: count * 1_003 });
    expect(largest?.share).toBeGreaterThan(0.9);
  },
);

let server: SampleServer;
beforeAll(async () => {
  server = await serve(3);
});
afterAll(() => server.stop(AbortSignal.abort()));

test("searches are counted, however they are asked", async () => {
  const q = (query: string) => encodeURIComponent(query);
  for (const address of [
    "/api/traces?service=s0001&tag=big:x",
    `/tempo/api/search?q=${q('{ resource.service.name = "s0001" && .big != nil }')}`,
    `/tempo/api/metrics/query_range?q=${q("{ } | rate() by(span.big)")}&since=1h`,
    `/api/analysis/v1/heatmap?${range}&service=s0002&tag=big:x`,
  ]) {
    expect((await fetch(server.base + address)).status, address).toBe(200);
  }
  const { services, attributes } = await usageOf(server);
  expect(Object.fromEntries(services.map(({ name, searches }) => [name, searches]))).toEqual({
    ...{ s0000: 0, s0001: 2, s0002: 1 },
  });
  const searched = attributes.map(({ name, searches }) => [name, searches]);
  expect(searched).toContainEqual(["big", 4]);
  expect(searched).toContainEqual(["small", 0]);
});

test("a part of the services has no estimate of attributes: the sample is of all", async () => {
  const { total, attributes } = await usageOf(server, "contains=S0001");
  expect([total, attributes.map(({ estimatedBytes }) => estimatedBytes)]).toEqual([
    1,
    attributes.map(() => null),
  ]);
});

test("without the option there is no usage", async () => {
  const off = await openSampleServer(await sampleStore([]));
  const response = await fetch(`${off.base}/api/analysis/v1/usage`);
  const text = await response.text();
  await off.stop(AbortSignal.abort());
  expect([response.status, text]).toEqual([501, expect.stringContaining("--query.usage.enabled")]);
});

test("names that people invent do not fill the memory", () => {
  const counts = new SearchCounts();
  for (let index = 0; index < 30_000; index++) {
    counts.count(`t${index % 3}`, [], [`a${index}`]);
  }
  counts.count("t0", [], ["a0", "a0"]);
  expect([counts.isWhole, counts.of("t0").attributes.get("a0"), counts.of("other").attributes.size]).toEqual([
    ...[false, 2, 0],
  ]);
});
