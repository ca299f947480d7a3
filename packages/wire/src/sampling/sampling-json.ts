import {
  type OperationSamplingStrategy,
  type PerOperationSamplingStrategies,
  type SamplingStrategyResponse,
  SamplingStrategyType,
} from "../gen/tracing/api_v2/sampling.ts";
import { numberJson, textJson } from "./go-json.ts";

/**
 * The JSON of `/api/sampling` of a collector and `/sampling` of an agent: protobuf JSON with the members in the order
 * of the message. Zero values are written; absent parts are omitted. Source: Jaeger 1.62,
 * model/converter/json/sampling.go
 */
export function samplingJson(response: SamplingStrategyResponse): string {
  const { probabilisticSampling, rateLimitingSampling, operationSampling } = response;
  const members = [`"strategyType":${typeJson(response.strategyType)}`];
  if (probabilisticSampling !== undefined) {
    members.push(`"probabilisticSampling":${rateJson(probabilisticSampling)}`);
  }
  if (rateLimitingSampling !== undefined) {
    members.push(`"rateLimitingSampling":{"maxTracesPerSecond":${rateLimitingSampling.maxTracesPerSecond}}`);
  }
  if (operationSampling !== undefined) {
    members.push(`"operationSampling":${operationsJson(operationSampling)}`);
  }
  return `{${members.join(",")}}`;
}

function typeJson(type: SamplingStrategyType): string {
  if (type === SamplingStrategyType.PROBABILISTIC) {
    return '"PROBABILISTIC"';
  }
  if (type === SamplingStrategyType.RATE_LIMITING) {
    return '"RATE_LIMITING"';
  }
  return String(type);
}

function operationsJson(sampling: PerOperationSamplingStrategies): string {
  return (
    `{"defaultSamplingProbability":${doubleJson(sampling.defaultSamplingProbability)},` +
    `"defaultLowerBoundTracesPerSecond":${doubleJson(sampling.defaultLowerBoundTracesPerSecond)},` +
    `"perOperationStrategies":[${sampling.perOperationStrategies.map(operationJson).join(",")}],` +
    `"defaultUpperBoundTracesPerSecond":${doubleJson(sampling.defaultUpperBoundTracesPerSecond)}}`
  );
}

/** An operation without a rate has the rate `null`. */
function operationJson({ operation, probabilisticSampling }: OperationSamplingStrategy): string {
  const rate = probabilisticSampling === undefined ? "null" : rateJson(probabilisticSampling);
  return `{"operation":${textJson(operation)},"probabilisticSampling":${rate}}`;
}

function rateJson({ samplingRate }: { readonly samplingRate: number }): string {
  return `{"samplingRate":${doubleJson(samplingRate)}}`;
}

/** Protobuf JSON writes NaN and the infinities as strings. */
function doubleJson(value: number): string {
  return Number.isFinite(value) ? numberJson(value) : `"${value}"`;
}
