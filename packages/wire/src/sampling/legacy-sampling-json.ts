import { WireError } from "../errors.ts";
import * as thrift from "../gen/thrift/sampling.ts";
import type {
  PerOperationSamplingStrategies,
  SamplingStrategyResponse,
} from "../gen/tracing/api_v2/sampling.ts";
import { thriftJson } from "./thrift-json.ts";

const knownTypes: ReadonlySet<number> = new Set(Object.values(thrift.SamplingStrategyType));

/**
 * The JSON in which an agent answers very old clients at `/`: the struct `SamplingStrategyResponse` of
 * idl/sampling.thrift, with `strategyType` as a number.
 * @throws WireError WIRE_TOO_LARGE for a limit above 32767, which an i16 cannot express. WIRE_MALFORMED for an unknown
 * type, or a probability that is NaN. Source: Jaeger 1.62, pkg/clientcfg/clientcfghttp/handler.go
 */
export function legacySamplingJson(response: SamplingStrategyResponse): string {
  return thriftJson(thrift.SamplingStrategyResponse, thriftResponseOf(response));
}

function thriftResponseOf(response: SamplingStrategyResponse): thrift.SamplingStrategyResponse {
  const { strategyType, probabilisticSampling, rateLimitingSampling, operationSampling } = response;
  if (!isKnownType(strategyType)) {
    throw new WireError("WIRE_MALFORMED", `strategyType ${strategyType} has no legacy form`);
  }
  return {
    strategyType,
    probabilisticSampling,
    rateLimitingSampling,
    operationSampling: operationSampling === undefined ? undefined : thriftOperationsOf(operationSampling),
  };
}

function thriftOperationsOf(sampling: PerOperationSamplingStrategies): thrift.PerOperationSamplingStrategies {
  return {
    ...sampling,
    // An operation without a rate gets rate null. This violates the IDL, but is the same as in Jaeger.
    perOperationStrategies: sampling.perOperationStrategies as thrift.OperationSamplingStrategy[],
  };
}

function isKnownType(type: number): type is thrift.SamplingStrategyType {
  return knownTypes.has(type);
}
