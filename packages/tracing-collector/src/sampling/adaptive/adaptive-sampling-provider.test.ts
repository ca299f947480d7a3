import { createMetrics } from "lifecycle";
import { type SamplingStore, StorageError } from "storage/api";
import { openMemoryStore } from "storage/memory";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { samplingJson } from "wire/sampling";
import { recordedLog } from "../../../test/recorded-log.ts";
import { AdaptiveSamplingProvider, type AdaptiveSettings } from "./adaptive-sampling-provider.ts";
import { SamplingMetrics } from "./sampling-metrics.ts";
import { ThroughputCounter } from "./throughput-counter.ts";

const settings: AdaptiveSettings = {
  targetSamplesPerSecond: 1,
  deltaTolerance: 0.3,
  initialProbability: 0.001,
  minProbability: 1e-5,
  bucketsForCalculation: 1,
  aggregationBuckets: 10,
  calculationIntervalMs: 60_000,
  delayMs: 0,
  minSamplesPerSecond: 1 / 60,
};

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

class Collector {
  readonly counter = new ThroughputCounter();
  readonly log = recordedLog();
  readonly registry = createMetrics("test");
  readonly election = { isLeader: false, close: async () => {} };
  readonly provider: AdaptiveSamplingProvider;

  constructor(owner: string, store: SamplingStore, changes: Partial<AdaptiveSettings> = {}, random = 0) {
    this.provider = new AdaptiveSamplingProvider(
      { ...settings, ...changes },
      {
        ...{ store, owner, counter: this.counter, election: this.election, log: this.log },
        metrics: new SamplingMetrics(this.registry),
        random: () => random,
      },
    );
  }

  spans(count: number, probability: number, operation = "GET"): void {
    for (let index = 0; index < count; index++) {
      this.counter.record("shop", operation, 1, probability);
    }
  }

  rateOf(operation = "GET", service = "shop"): number | undefined {
    return this.provider
      .strategyFor(service)
      .operationSampling?.perOperationStrategies.find((entry) => entry.operation === operation)
      ?.probabilisticSampling?.samplingRate;
  }

  async metric(name: string): Promise<number | undefined> {
    return (await this.registry.getSingleMetric(`tracing_collector_${name}`)?.get())?.values[0]?.value;
  }
}

const minute = () => vi.advanceTimersByTimeAsync(60_000);

test("answers in the public model's form", async () => {
  const collector = new Collector("one", openMemoryStore().sampling);
  collector.election.isLeader = true;
  await collector.provider.start();
  const empty =
    '{"strategyType":"PROBABILISTIC","operationSampling":{"defaultSamplingProbability":0.001,' +
    '"defaultLowerBoundTracesPerSecond":0.016666666666666666,"perOperationStrategies":[],' +
    '"defaultUpperBoundTracesPerSecond":0}}';
  expect(samplingJson(collector.provider.strategyFor("shop"))).toBe(empty);
  collector.spans(600, 0.001, "z");
  collector.spans(120, 0.001, "a");
  await minute();
  expect(samplingJson(collector.provider.strategyFor("shop"))).toBe(
    empty.replace(
      "[]",
      '[{"operation":"a","probabilisticSampling":{"samplingRate":0.0005}},' +
        '{"operation":"z","probabilisticSampling":{"samplingRate":0.0001}}]',
    ),
  );
  expect(samplingJson(collector.provider.strategyFor("other"))).toBe(empty);
  expect(await collector.metric("sampling_operations_total")).toBe(2);
  expect(await collector.metric("sampling_services_total")).toBe(1);
  expect(await collector.metric("adaptive_sampling_processor_operations_calculated")).toBe(2);
  expect(await collector.metric("adaptive_sampling_leader")).toBe(1);
  await collector.provider.close();
});

test("the leader adds up the counts of all collectors, and the others load what it computes", async () => {
  const store = openMemoryStore().sampling;
  const leader = new Collector("leader", store, { delayMs: 120_000 });
  const follower = new Collector("follower", store, { delayMs: 120_000 }, 0.5);
  leader.election.isLeader = true;
  await leader.provider.start();
  await follower.provider.start();
  leader.spans(100, 0.001);
  follower.spans(140, 0.001);
  await minute();
  await minute();
  // Because of the delay, the third calculation is the first to use these counts.
  expect(leader.rateOf()).toBeUndefined();
  await minute();
  expect(leader.rateOf()).toBe(0.00025);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(follower.rateOf()).toBe(0.00025);
  expect(await follower.metric("adaptive_sampling_leader")).toBe(0);
  await Promise.all([leader.provider.close(), follower.provider.close()]);
});

test("another leader goes on with the probabilities of the one before", async () => {
  const store = openMemoryStore().sampling;
  const one = new Collector("one", store);
  const two = new Collector("two", store);
  one.election.isLeader = true;
  await one.provider.start();
  await two.provider.start();
  one.spans(240, 0.001);
  await minute();
  one.election.isLeader = false;
  two.election.isLeader = true;
  two.spans(120, 0.00025);
  await minute();
  expect(two.rateOf()).toBe(0.000125);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(one.rateOf()).toBe(0.000125);
  await Promise.all([one.provider.close(), two.provider.close()]);
});

test("a collector that starts knows the probabilities and the counts of the past", async () => {
  const store = openMemoryStore().sampling;
  const now = Date.now();
  const entry = { service: "shop", operation: "GET", probabilities: ["0.500000"] };
  await store.insertThroughput([{ ...entry, count: 240 }], now - 90_000);
  await store.insertProbabilities({
    owner: "gone",
    calculatedUnixMs: now - 60_000,
    operations: [{ service: "shop", operation: "GET", probability: 0.5, qps: 1 }],
  });
  const collector = new Collector("new", store);
  collector.election.isLeader = true;
  await collector.provider.start();
  expect(collector.rateOf()).toBe(0.5);
  // There were no spans since, so it is unknown if clients follow the probability: it stays unchanged.
  await minute();
  expect(collector.rateOf()).toBe(0.5);
  expect((await store.latestProbabilities())?.operations).toEqual([
    { service: "shop", operation: "GET", probability: 0.5, qps: 4 },
  ]);
  await collector.provider.close();
});

test("while the store is away all stays as it was, and counts wait", async () => {
  const memory = openMemoryStore().sampling;
  let isAway = false;
  const store = new Proxy(memory, {
    get(target, name: keyof SamplingStore) {
      if (isAway) {
        return async () => Promise.reject(new StorageError("STORAGE_UNAVAILABLE", "nobody answers"));
      }
      return (target[name] as (...args: unknown[]) => unknown).bind(target);
    },
  });
  const collector = new Collector("one", store);
  collector.election.isLeader = true;
  await collector.provider.start();
  collector.spans(120, 0.001);
  await minute();
  expect(collector.rateOf()).toBe(0.0005);
  isAway = true;
  collector.spans(300, 0.0005);
  await minute();
  collector.spans(180, 0.0005);
  await minute();
  expect(collector.rateOf()).toBe(0.0005);
  expect(collector.log.messages("warn")).toContain(
    "adaptive sampling: sampling data cannot be saved: nobody answers",
  );
  isAway = false;
  collector.spans(240, 0.0005);
  await minute();
  // 720 spans in three minutes.
  expect(collector.rateOf()).toBe(0.000125);
  await collector.provider.close();
});

test("a store that is away at the start is asked again later", async () => {
  const memory = openMemoryStore().sampling;
  await memory.insertProbabilities({
    owner: "leader",
    calculatedUnixMs: Date.now(),
    operations: [{ service: "shop", operation: "GET", probability: 0.5, qps: 1 }],
  });
  let isAway = true;
  const store = new Proxy(memory, {
    get(target, name: keyof SamplingStore) {
      if (isAway) {
        return async () => Promise.reject(new StorageError("STORAGE_UNAVAILABLE", "nobody answers"));
      }
      return (target[name] as (...args: unknown[]) => unknown).bind(target);
    },
  });
  const collector = new Collector("follower", store);
  await collector.provider.start();
  expect(collector.rateOf()).toBeUndefined();
  isAway = false;
  await vi.advanceTimersByTimeAsync(9_999);
  expect(collector.rateOf()).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  expect(collector.rateOf()).toBe(0.5);
  await collector.provider.close();
});

test("close saves the last counts, and nothing is left running", async () => {
  const store = openMemoryStore().sampling;
  const collector = new Collector("one", store);
  const before = vi.getTimerCount(); // that of the registry of metrics
  await collector.provider.start();
  expect(vi.getTimerCount()).toBeGreaterThan(before);
  collector.spans(3, 0.001);
  await collector.provider.close();
  expect(await store.getThroughput(0, Date.now())).toMatchObject([{ count: 3 }]);
  expect(vi.getTimerCount()).toBe(before);
});

test("spans of too many operations are counted as such", async () => {
  const store = openMemoryStore().sampling;
  const collector = new Collector("one", store);
  await collector.provider.start();
  for (let index = 0; index < 20_003; index++) {
    collector.counter.record("shop", `op ${index}`, 1, 0.1);
  }
  await minute();
  expect(await collector.metric("sampling_spans_uncounted_total")).toBe(3);
  expect(collector.log.messages("warn")).toEqual([
    "adaptive sampling: too many operations in one interval, spans are not counted",
  ]);
  await collector.provider.close();
});
