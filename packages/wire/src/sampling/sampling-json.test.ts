import { describe, expect, test } from "vitest";
import { SamplingStrategyResponse, SamplingStrategyType } from "../gen/tracing/api_v2/sampling.ts";
import { legacySamplingJson } from "./legacy-sampling-json.ts";
import { samplingJson } from "./sampling-json.ts";

const probabilistic = SamplingStrategyType.PROBABILISTIC;
const rateLimiting = SamplingStrategyType.RATE_LIMITING;

// The expected texts are answers of jaeger-collector (`/api/sampling`) and jaeger-agent (`/`) 1.62.
const rows: { name: string; response: Partial<SamplingStrategyResponse>; json: string; legacy: string }[] = [
  {
    name: "the default",
    response: { strategyType: probabilistic, probabilisticSampling: { samplingRate: 0.001 } },
    json: '{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":0.001}}',
    legacy: '{"strategyType":0,"probabilisticSampling":{"samplingRate":0.001}}',
  },
  {
    name: "a limit",
    response: { strategyType: rateLimiting, rateLimitingSampling: { maxTracesPerSecond: 5 } },
    json: '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":5}}',
    legacy: '{"strategyType":1,"rateLimitingSampling":{"maxTracesPerSecond":5}}',
  },
  {
    name: "a limit below an i16",
    response: { strategyType: rateLimiting, rateLimitingSampling: { maxTracesPerSecond: -2147483648 } },
    json: '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":-2147483648}}',
    legacy: '{"strategyType":1,"rateLimitingSampling":{"maxTracesPerSecond":0}}',
  },
  {
    name: "operations, small numbers and zeros",
    response: {
      strategyType: rateLimiting,
      rateLimitingSampling: { maxTracesPerSecond: 0 },
      operationSampling: {
        defaultSamplingProbability: 0.001,
        defaultLowerBoundTracesPerSecond: 1 / 60,
        perOperationStrategies: [
          { operation: "op1", probabilisticSampling: { samplingRate: 1e-7 } },
          { operation: "/health", probabilisticSampling: { samplingRate: -0 } },
          { operation: "", probabilisticSampling: undefined },
        ],
        defaultUpperBoundTracesPerSecond: 1e21,
      },
    },
    json:
      '{"strategyType":"RATE_LIMITING","rateLimitingSampling":{"maxTracesPerSecond":0},"operationSampling":' +
      '{"defaultSamplingProbability":0.001,"defaultLowerBoundTracesPerSecond":0.016666666666666666,' +
      '"perOperationStrategies":[{"operation":"op1","probabilisticSampling":{"samplingRate":1e-7}},' +
      '{"operation":"/health","probabilisticSampling":{"samplingRate":-0}},' +
      '{"operation":"","probabilisticSampling":null}],"defaultUpperBoundTracesPerSecond":1e+21}}',
    legacy:
      '{"strategyType":1,"rateLimitingSampling":{"maxTracesPerSecond":0},"operationSampling":' +
      '{"defaultSamplingProbability":0.001,"defaultLowerBoundTracesPerSecond":0.016666666666666666,' +
      '"perOperationStrategies":[{"operation":"op1","probabilisticSampling":{"samplingRate":1e-7}},' +
      '{"operation":"/health","probabilisticSampling":{"samplingRate":-0}},' +
      '{"operation":"","probabilisticSampling":null}],"defaultUpperBoundTracesPerSecond":1e+21}}',
  },
  {
    name: "a name with every kind of character",
    response: {
      operationSampling: {
        defaultSamplingProbability: 0,
        defaultLowerBoundTracesPerSecond: 0,
        perOperationStrategies: [
          {
            operation: '<a>&\u2028\u2029\u0001\b\f\n\r\t"\\/\u007fé😀\ud800',
            probabilisticSampling: { samplingRate: 123456789.125 },
          },
        ],
        defaultUpperBoundTracesPerSecond: 0,
      },
    },
    json:
      '{"strategyType":"PROBABILISTIC","operationSampling":{"defaultSamplingProbability":0,' +
      '"defaultLowerBoundTracesPerSecond":0,"perOperationStrategies":[{"operation":' +
      '"\\u003ca\\u003e\\u0026\\u2028\\u2029\\u0001\\b\\f\\n\\r\\t\\"\\\\/\u007fé😀\ufffd",' +
      '"probabilisticSampling":{"samplingRate":123456789.125}}],"defaultUpperBoundTracesPerSecond":0}}',
    legacy:
      '{"strategyType":0,"operationSampling":{"defaultSamplingProbability":0,' +
      '"defaultLowerBoundTracesPerSecond":0,"perOperationStrategies":[{"operation":' +
      '"\\u003ca\\u003e\\u0026\\u2028\\u2029\\u0001\\b\\f\\n\\r\\t\\"\\\\/\u007fé😀\ufffd",' +
      '"probabilisticSampling":{"samplingRate":123456789.125}}],"defaultUpperBoundTracesPerSecond":0}}',
  },
  {
    name: "no operation at all",
    response: {
      operationSampling: {
        defaultSamplingProbability: 0.5,
        defaultLowerBoundTracesPerSecond: 0,
        perOperationStrategies: [],
        defaultUpperBoundTracesPerSecond: 0,
      },
    },
    json:
      '{"strategyType":"PROBABILISTIC","operationSampling":{"defaultSamplingProbability":0.5,' +
      '"defaultLowerBoundTracesPerSecond":0,"perOperationStrategies":[],"defaultUpperBoundTracesPerSecond":0}}',
    legacy:
      '{"strategyType":0,"operationSampling":{"defaultSamplingProbability":0.5,' +
      '"defaultLowerBoundTracesPerSecond":0,"perOperationStrategies":[],"defaultUpperBoundTracesPerSecond":0}}',
  },
];

test.each(rows)("both forms of $name", ({ response, json, legacy }) => {
  const message = SamplingStrategyResponse.fromPartial(response);
  expect(samplingJson(message)).toBe(json);
  expect(legacySamplingJson(message)).toBe(legacy);
});

describe("what the legacy form cannot carry", () => {
  test.each([
    {
      name: "a limit above 32767",
      response: { rateLimitingSampling: { maxTracesPerSecond: 32_768 } },
      code: "WIRE_TOO_LARGE",
      json: '{"strategyType":"PROBABILISTIC","rateLimitingSampling":{"maxTracesPerSecond":32768}}',
    },
    {
      name: "a rate that is no number",
      response: { probabilisticSampling: { samplingRate: Number.NaN } },
      code: "WIRE_MALFORMED",
      json: '{"strategyType":"PROBABILISTIC","probabilisticSampling":{"samplingRate":"NaN"}}',
    },
    {
      name: "an unknown type",
      response: { strategyType: 7 as SamplingStrategyType },
      code: "WIRE_MALFORMED",
      json: '{"strategyType":7}',
    },
  ])("$name", ({ response, code, json }) => {
    const message = SamplingStrategyResponse.fromPartial(response);
    expect(() => legacySamplingJson(message)).toThrow(expect.objectContaining({ code }));
    expect(samplingJson(message)).toBe(json);
  });
});
