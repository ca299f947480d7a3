import { expect, test } from "vitest";
import { samplingJson } from "wire/sampling";
import { parseStrategies } from "./parse-strategies.ts";
import { noStrategies, strategiesOfFile } from "./strategies-of-file.ts";

const file = `{
  "default_strategy": {"type": "probabilistic", "param": 0.5, "operation_strategies": [
    {"operation": "/health", "type": "probabilistic", "param": 0.0},
    {"operation": "rl", "type": "ratelimiting", "param": 3}]},
  "service_strategies": [
    {"service": "foo", "type": "ratelimiting", "param": 5.9, "operation_strategies": [
      {"operation": "op1", "type": "probabilistic", "param": 1e-7}]},
    {"service": "own", "type": "probabilistic", "param": 0.7, "operation_strategies": [
      {"operation": "/health", "type": "probabilistic", "param": 0.9},
      {"operation": "odd", "type": "", "param": 0.9}]},
    {"service": "plain", "type": "probabilistic", "param": 1},
    {"service": "limit", "type": "ratelimiting", "param": 40000},
    {"service": "huge", "type": "ratelimiting", "param": 1e12},
    {"service": "half", "type": "ratelimiting", "param": -0.5},
    {"service": "bad", "type": "foo", "param": 1},
    {"service": "twice", "type": "probabilistic", "param": 0.1},
    {"service": "twice", "type": "probabilistic", "param": 0.2}
  ]
}`;

function strategies(json: string, defaultOperationsForRateLimited = false) {
  const parsed = parseStrategies(json);
  if (parsed === undefined) {
    throw new Error("no strategies");
  }
  const warnings: string[] = [];
  const { ofService, default: byDefault } = strategiesOfFile(parsed, {
    defaultOperationsForRateLimited,
    warn: (message) => warnings.push(message),
  });
  return { answer: (service: string) => samplingJson(ofService.get(service) ?? byDefault), warnings };
}

const operations = (rate: number, ...list: string[]) =>
  `"operationSampling":{"defaultSamplingProbability":${rate},"defaultLowerBoundTracesPerSecond":0,` +
  `"perOperationStrategies":[${list.join(",")}],"defaultUpperBoundTracesPerSecond":0}`;
const operation = (name: string, rate: string) =>
  `{"operation":"${name}","probabilisticSampling":{"samplingRate":${rate}}}`;
const health = operation("/health", "0");

// The expected answers come from jaeger-collector 1.62, except that it answers -2147483648 for "huge".
test.each([
  [
    "unknown",
    `{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":0.5},${operations(0.5, health)}}`,
  ],
  [
    "foo",
    `{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":5},${operations(0.001, operation("op1", "1e-7"), health)}}`,
  ],
  [
    "own",
    `{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":0.7},${operations(0.7, operation("/health", "0.9"), operation("odd", "0.001"))}}`,
  ],
  [
    "plain",
    `{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":1},${operations(1, health)}}`,
  ],
  ["limit", '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":40000}}'],
  ["huge", '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":2147483647}}'],
  ["half", '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":0}}'],
  [
    "bad",
    `{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":0.001},${operations(0.001, health)}}`,
  ],
  [
    "twice",
    `{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":0.2},${operations(0.2, health)}}`,
  ],
])("service %s", (service, json) => {
  expect(strategies(file).answer(service)).toBe(json);
});

test("rate-limited services get the default's operations with bugfix-5270, the others as before", () => {
  const { answer } = strategies(file, true);
  expect(answer("limit")).toBe(
    `{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":40000},${operations(0.5, health)}}`,
  );
  for (const service of ["unknown", "foo", "own", "plain", "bad"]) {
    expect(answer(service)).toBe(strategies(file).answer(service));
  }
});

test("warns of what it cannot follow", () => {
  expect(strategies(file).warnings).toEqual([
    'operation "rl" of the default strategy: operations can be sampled by probability only: it gets 0.5',
    'operation "odd" of service "own": type "" is neither probabilistic nor ratelimiting: it gets probability 0.001',
    'service "huge": 1000000000000 traces per second do not fit: it gets 2147483647',
    'service "bad": type "foo" is neither probabilistic nor ratelimiting: it gets probability 0.001',
  ]);
});

test("without a default, services keep to themselves and others get the built-in one", () => {
  const { answer } = strategies(
    '{"service_strategies":[{"service":"a","type":"ratelimiting","param":2}]}',
    true,
  );
  expect(answer("a")).toBe(
    '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":2}}',
  );
  expect(answer("b")).toBe(samplingJson(noStrategies.default));
  expect(samplingJson(noStrategies.default)).toBe(
    '{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":0.001}}',
  );
});

test("a default with nothing but rate-limited operations gives an empty list", () => {
  const { answer } = strategies(
    '{"default_strategy":{"type":"ratelimiting","param":1,"operation_strategies":[{"operation":"a","type":"ratelimiting"}]},' +
      '"service_strategies":[{"service":"p","type":"probabilistic","param":0.25}]}',
  );
  expect(answer("p")).toBe(
    `{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":0.25},${operations(0.25)}}`,
  );
});
