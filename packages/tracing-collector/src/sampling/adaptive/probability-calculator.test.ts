import type { OperationThroughput } from "storage/api";
import { describe, expect, test } from "vitest";
import { OperationMap } from "./operation-map.ts";
import { type CalculationSettings, ProbabilityCalculator } from "./probability-calculator.ts";

/** `service operation` → count, then the observed probabilities. */
type Counts = Readonly<Record<string, readonly [count: number, ...probabilities: string[]]>>;
type Numbers = Readonly<Record<string, number>>;

const settings: CalculationSettings = {
  targetSamplesPerSecond: 1,
  deltaTolerance: 0.2,
  initialProbability: 0.001,
  minProbability: 0.00001,
  bucketsForCalculation: 10,
  aggregationBuckets: 10,
  maxIncrease: Number.POSITIVE_INFINITY,
};

function throughputOf(counts: Counts): OperationThroughput[] {
  return Object.entries(counts).map(([name, [count, ...probabilities]]) => {
    const [service = "", operation = ""] = name.split(" ");
    return { service, operation, count, probabilities };
  });
}

function mapOf(probabilities: Numbers): OperationMap<number> {
  const map = new OperationMap<number>();
  for (const [name, probability] of Object.entries(probabilities)) {
    const [service = "", operation = ""] = name.split(" ");
    map.set(service, operation, probability);
  }
  return map;
}

function calculate(calculator: ProbabilityCalculator, current: Numbers = {}) {
  const calculated = calculator.calculate(mapOf(current));
  const by = (pick: "probability" | "qps"): Numbers =>
    Object.fromEntries(calculated.map((entry) => [`${entry.service} ${entry.operation}`, entry[pick]]));
  return { probabilities: by("probability"), qps: by("qps") };
}

/** Data of Jaeger's testThroughputBuckets. */
const newest: Counts = { "svcA GET": [45], "svcA PUT": [60], "svcB GET": [30], "svcB PUT": [15] };
const older: Counts = { "svcA GET": [30], "svcB GET": [45] };

function withBuckets(changes: Partial<CalculationSettings>, ...buckets: readonly Counts[]) {
  const calculator = new ProbabilityCalculator({ ...settings, ...changes });
  for (const bucket of buckets) {
    calculator.addNewest(throughputOf(bucket), 60_000);
  }
  return calculator;
}

describe("the public model's cases", () => {
  test("TestCalculateProbabilitiesAndQPS", () => {
    const { probabilities, qps } = calculate(withBuckets({}, older, newest), {
      "svcB GET": 0.16,
      "svcB PUT": 0.03,
    });
    expect(probabilities).toEqual({
      "svcA GET": 0.00136,
      "svcA PUT": 0.001,
      "svcB GET": 0.16,
      "svcB PUT": 0.03,
    });
    expect(qps).toEqual({
      "svcA GET": 0.7352941176470588,
      "svcA PUT": 1,
      "svcB GET": 0.5147058823529411,
      "svcB PUT": 0.25,
    });
  });

  test("TestGenerateOperationQPS_UseMostRecentBucketOnly", () => {
    const calculator = withBuckets({ bucketsForCalculation: 1 }, older, newest);
    expect(calculate(calculator).qps).toEqual({
      "svcA GET": 0.75,
      "svcA PUT": 1,
      "svcB GET": 0.5,
      "svcB PUT": 0.25,
    });
    calculator.addNewest(throughputOf({ "svcA GET": [30] }), 60_000);
    expect(calculate(calculator).qps).toEqual({
      "svcA GET": 0.5,
      "svcA PUT": 1,
      "svcB GET": 0.5,
      "svcB PUT": 0.25,
    });
  });

  // Results of TestCalculateWeightedQPS, with a precision of 0.001.
  test.each([
    [[0.8, 1.2, 1.0], 0.86735],
    [[1.0, 1.0, 0.0, 0.0], 0.95197],
  ])("TestCalculateWeightedQPS of %j", (rates, mean) => {
    const buckets = rates.map((rate): Counts => ({ "s o": [rate * 60] })).reverse();
    expect(calculate(withBuckets({}, ...buckets)).qps["s o"]).toBeCloseTo(mean, 3);
  });

  test.each([
    ["svcA GET", 2.0, 0.25, "modify existing probability"],
    ["svcA PUT", 2.0, 0.0005, "modify default probability"],
    ["svcB GET", 0.9, 0.001, "qps within equivalence threshold"],
    ["svcB PUT", 0.000001, 1.0, "test max probability"],
    ["svcB DELETE", 1_000_000_000, 0.00001, "test min probability"],
    ["svcB DELETE", 0.0, 0.002, "test 0 qps"],
  ])("TestCalculateProbability: %s at %d per second gives %d: %s", (name, qps, probability) => {
    const calculator = withBuckets({}, { [name]: [qps * 60, "0.500000"] });
    expect(calculate(calculator, { "svcA GET": 0.5 }).probabilities[name]).toBeCloseTo(probability, 9);
  });

  test.each([
    [2.0, 0.05],
    [0.5, 0.15],
    [0.8, 0.125],
  ])("TestPercentageIncreaseCappedCalculator: %d per second", (qps, probability) => {
    const calculator = withBuckets(
      { maxIncrease: 0.5, deltaTolerance: 0 },
      { "s o": [qps * 60, "0.100000"] },
    );
    expect(calculate(calculator, { "s o": 0.1 }).probabilities["s o"]).toBeCloseTo(probability, 9);
  });

  test.each([
    [true, 0.01, "svc op"],
    [true, 0.0099999384, "svc op"],
    [false, 0.01, "non-svc "],
    [false, 0.01, "svc non-op"],
    [false, 0.02, "svc op"],
    [false, 0.0100009384, "svc op"],
  ])("TestUsingAdaptiveSampling: %s for %d and %s", (isUsing, probability, name) => {
    const calculator = withBuckets({}, { [name]: [60] }, { "svc op": [0, "0.010000"] });
    const { probabilities } = calculate(calculator, { [name]: probability });
    const isKept = probabilities[name] === probability;
    // Rates of 0 and 1 per second: only the rate of 0 changes the probability.
    if (name === "svc op") {
      expect(isKept).toBe(!isUsing);
    } else {
      expect([isKept, isUsing]).toEqual([true, false]);
    }
  });

  test("TestCalculateProbabilitiesAndQPSMultiple", () => {
    const calculator = new ProbabilityCalculator({
      ...settings,
      deltaTolerance: 0.002,
      minProbability: 0,
      bucketsForCalculation: 5,
      maxIncrease: 1,
    });
    const low = "0.001000";
    const put30: Counts = { "svcA PUT": [30, low], "svcB GET": [30, low] };
    const steps: readonly (readonly [Counts, Numbers])[] = [
      [
        { "svcA GET": [3, low], "svcA PUT": [60, low], "svcB PUT": [15, low] },
        { "svcA GET": 0.002, "svcA PUT": 0.001, "svcB PUT": 0.002 },
      ],
      [
        { "svcA PUT": [60, low], "svcB GET": [30, low], "svcB PUT": [0, "0.002000"] },
        { "svcA GET": 0.002, "svcA PUT": 0.001, "svcB GET": 0.002, "svcB PUT": 0.004 },
      ],
      [
        { "svcA GET": [0, "0.002000"], "svcA PUT": [60, low], "svcB GET": [30, low] },
        { "svcA GET": 0.004, "svcA PUT": 0.001, "svcB GET": 0.002, "svcB PUT": 0.008 },
      ],
      [
        { "svcA GET": [1, "0.004000"], "svcA PUT": [60, low], "svcB GET": [30, low], "svcB PUT": [15, low] },
        { "svcA GET": 0.008, "svcA PUT": 0.001, "svcB GET": 0.002, "svcB PUT": 0.008 },
      ],
      [
        { ...put30, "svcB PUT": [15, low] },
        { "svcA GET": 0.016, "svcA PUT": 0.001468867216804201, "svcB GET": 0.002, "svcB PUT": 0.008 },
      ],
      [
        { ...put30, "svcB PUT": [1, "0.008000"] },
        { "svcA GET": 0.032, "svcA PUT": 0.001468867216804201, "svcB GET": 0.002, "svcB PUT": 0.016 },
      ],
      [
        { "svcA PUT": [30, low], "svcB GET": [15, low] },
        { "svcA GET": 0.064, "svcA PUT": 0.001468867216804201, "svcB GET": 0.002, "svcB PUT": 0.032 },
      ],
      [
        { "svcA PUT": [20, low], "svcB GET": [10, low] },
        { "svcA GET": 0.128, "svcA PUT": 0.001468867216804201, "svcB GET": 0.002, "svcB PUT": 0.064 },
      ],
      [
        {
          "svcA PUT": [20, low],
          "svcA GET": [120, "0.128000"],
          "svcB PUT": [60, "0.064000"],
          "svcB GET": [10, low],
        },
        {
          "svcA GET": 0.0882586677054928,
          "svcA PUT": 0.001468867216804201,
          "svcB GET": 0.002,
          "svcB PUT": 0.09587513707888091,
        },
      ],
    ];
    let current: Numbers = {};
    for (const [counts, expected] of steps) {
      calculator.addNewest(throughputOf(counts), 60_000);
      ({ probabilities: current } = calculate(calculator, current));
      expect(current).toEqual(expected);
    }
  });
});

test("forgets operations that are in none of the last buckets", () => {
  const calculator = withBuckets({ aggregationBuckets: 2 }, { "a x": [1] }, { "b y": [1] }, { "b y": [1] });
  expect(Object.keys(calculate(calculator).probabilities)).toEqual(["b y"]);
});

test("takes intervals from before as long as there is room", () => {
  const calculator = new ProbabilityCalculator({
    ...settings,
    aggregationBuckets: 2,
    bucketsForCalculation: 1,
  });
  for (const count of [60, 120, 180]) {
    calculator.addOldest(throughputOf({ "a x": [count], [`a ${count}`]: [count] }), 60_000);
  }
  expect(calculate(calculator).qps).toEqual({ "a x": 1, "a 60": 1, "a 120": 2 });
});
