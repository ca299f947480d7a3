import { WireError } from "../errors.ts";
import {
  type OperationSamplingStrategy,
  type PerOperationSamplingStrategies,
  type SamplingStrategyResponse,
  SamplingStrategyType,
} from "../gen/tracing/api_v2/sampling.ts";

/** The limit of `maxTracesPerSecond` in Thrift's `sampling.thrift`, an i16. */
const maxLegacyTracesPerSecond = 32_767;

/** How the two forms differ; everything else of them is alike. */
interface Form {
  strategyType(type: number): string;
  tracesPerSecond(limit: number): number;
  double(value: number): string;
}

/**
 * The JSON in which `/api/sampling` of a collector and `/sampling` of an agent answer: protobuf JSON with the members in
 * the order of the message and zero values printed; parts that are absent are left out.
 * Source: public model 1.62, model/converter/json/sampling.go
 */
export function samplingJson(response: SamplingStrategyResponse): string {
  return responseJson(response, {
    strategyType: (type) => {
      if (type === SamplingStrategyType.PROBABILISTIC) return '"PROBABILISTIC"';
      if (type === SamplingStrategyType.RATE_LIMITING) return '"RATE_LIMITING"';
      return String(type);
    },
    tracesPerSecond: (limit) => limit,
    // Protobuf JSON writes what JSON has no number for as text.
    double: (value) => (Number.isFinite(value) ? numberJson(value) : `"${value}"`),
  });
}

/**
 * The JSON in which `/` of an agent answers clients of the first days: the same, with `strategyType` as a number.
 * @throws WireError WIRE_TOO_LARGE for a limit above 32767, which this form cannot carry; WIRE_MALFORMED for a type that
 *   it does not know, or a probability that is no number
 * Source: public model 1.62, pkg/clientcfg/clientcfghttp/handler.go
 */
export function legacySamplingJson(response: SamplingStrategyResponse): string {
  return responseJson(response, {
    strategyType: (type) => {
      if (type === SamplingStrategyType.PROBABILISTIC || type === SamplingStrategyType.RATE_LIMITING) {
        return String(type);
      }
      throw new WireError("WIRE_MALFORMED", `strategyType ${type} has no legacy form`);
    },
    tracesPerSecond: (limit) => {
      if (limit > maxLegacyTracesPerSecond) {
        throw new WireError(
          "WIRE_TOO_LARGE",
          `maxTracesPerSecond ${limit} is over ${maxLegacyTracesPerSecond}, the limit of the legacy form`,
        );
      }
      // As an i16: the public model does not look at the lower limit.
      return (limit << 16) >> 16;
    },
    double: (value) => {
      if (Number.isFinite(value)) return numberJson(value);
      throw new WireError("WIRE_MALFORMED", `probability ${value} has no legacy form`);
    },
  });
}

function responseJson(response: SamplingStrategyResponse, form: Form): string {
  const { probabilisticSampling, rateLimitingSampling, operationSampling } = response;
  const members = [`"strategyType":${form.strategyType(response.strategyType)}`];
  if (probabilisticSampling !== undefined) {
    members.push(`"probabilisticSampling":${rateJson(probabilisticSampling, form)}`);
  }
  if (rateLimitingSampling !== undefined) {
    const limit = form.tracesPerSecond(rateLimitingSampling.maxTracesPerSecond);
    members.push(`"rateLimitingSampling":{"maxTracesPerSecond":${limit}}`);
  }
  if (operationSampling !== undefined) {
    members.push(`"operationSampling":${operationsJson(operationSampling, form)}`);
  }
  return `{${members.join(",")}}`;
}

function operationsJson(sampling: PerOperationSamplingStrategies, form: Form): string {
  const operations = sampling.perOperationStrategies.map((operation) => operationJson(operation, form));
  return (
    `{"defaultSamplingProbability":${form.double(sampling.defaultSamplingProbability)},` +
    `"defaultLowerBoundTracesPerSecond":${form.double(sampling.defaultLowerBoundTracesPerSecond)},` +
    `"perOperationStrategies":[${operations.join(",")}],` +
    `"defaultUpperBoundTracesPerSecond":${form.double(sampling.defaultUpperBoundTracesPerSecond)}}`
  );
}

/** An operation without its rate has the rate `null` in both forms. */
function operationJson({ operation, probabilisticSampling }: OperationSamplingStrategy, form: Form): string {
  const rate = probabilisticSampling === undefined ? "null" : rateJson(probabilisticSampling, form);
  return `{"operation":${textJson(operation)},"probabilisticSampling":${rate}}`;
}

function rateJson({ samplingRate }: { readonly samplingRate: number }, form: Form): string {
  return `{"samplingRate":${form.double(samplingRate)}}`;
}

/** Go and JavaScript write the same digits, but for the sign of zero. */
function numberJson(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

/** As Go writes texts: what could be mistaken for HTML or end a line is escaped. */
function textJson(text: string): string {
  return JSON.stringify(text.toWellFormed()).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
