import {
  type OperationSamplingStrategy,
  type PerOperationSamplingStrategies,
  type SamplingStrategyResponse,
  SamplingStrategyType,
} from "wire/api-v2";
import { builtInProbability, builtInStrategy } from "./built-in-strategy.ts";
import type { OperationStrategy, ServiceStrategy, StrategiesFile } from "./parse-strategies.ts";

/** The strategies of a file, in the form for clients. */
export interface Strategies {
  readonly ofService: ReadonlyMap<string, SamplingStrategyResponse>;
  /** Strategy for services that the file does not list. */
  readonly default: SamplingStrategyResponse;
}

export interface StrategyRules {
  /**
   * True: a rate-limited service without operations also gets the operations of the default strategy
   * (`--sampling.strategies.bugfix-5270`).
   */
  readonly defaultOperationsForRateLimited: boolean;
  /** Called for each rule that is ignored. */
  readonly warn: (message: string) => void;
}

/** The strategies without a file. */
export const noStrategies: Strategies = { ofService: new Map(), default: builtInStrategy };

const { PROBABILISTIC, RATE_LIMITING } = SamplingStrategyType;
const maxInt32 = 2 ** 31 - 1;

/**
 * Merges the strategies of a file: the rules of each service, then the operations of the default strategy. Source:
 * Jaeger 1.62, plugin/sampling/strategyprovider/static/provider.go
 */
export function strategiesOfFile(file: StrategiesFile, rules: StrategyRules): Strategies {
  const { default_strategy: fallback } = file;
  const byDefault =
    fallback === undefined ? builtInStrategy : ownStrategy(fallback, "the default strategy", rules);
  const ofService = new Map<string, SamplingStrategyResponse>();
  for (const rule of file.service_strategies) {
    const own = ownStrategy(rule, `service "${rule.service}"`, rules);
    ofService.set(rule.service, withDefaultOperations(own, byDefault.operationSampling, rules));
  }
  return { ofService, default: byDefault };
}

function withDefaultOperations(
  own: SamplingStrategyResponse,
  defaults: PerOperationSamplingStrategies | undefined,
  rules: StrategyRules,
): SamplingStrategyResponse {
  if (defaults === undefined) {
    return own;
  }
  const { operationSampling, probabilisticSampling } = own;
  if (operationSampling === undefined) {
    if (probabilisticSampling === undefined && !rules.defaultOperationsForRateLimited) {
      return own;
    }
    const defaultSamplingProbability =
      probabilisticSampling?.samplingRate ?? defaults.defaultSamplingProbability;
    return { ...own, operationSampling: { ...defaults, defaultSamplingProbability } };
  }
  const names = new Set(operationSampling.perOperationStrategies.map(({ operation }) => operation));
  const perOperationStrategies = [
    ...operationSampling.perOperationStrategies,
    ...defaults.perOperationStrategies.filter(({ operation }) => !names.has(operation)),
  ];
  return { ...own, operationSampling: { ...operationSampling, perOperationStrategies } };
}

function ownStrategy(rule: ServiceStrategy, what: string, rules: StrategyRules): SamplingStrategyResponse {
  const response = plainStrategy(rule, what, rules);
  if (rule.operation_strategies.length === 0) {
    return response;
  }
  const defaultSamplingProbability = response.probabilisticSampling?.samplingRate ?? builtInProbability;
  const perOperationStrategies: OperationSamplingStrategy[] = [];
  for (const operationRule of rule.operation_strategies) {
    const { operation } = operationRule;
    const where = `operation "${operation}" of ${what}`;
    const { strategyType, probabilisticSampling } = plainStrategy(operationRule, where, rules);
    if (strategyType === RATE_LIMITING) {
      rules.warn(
        `${where}: operations can be sampled by probability only: it gets ${defaultSamplingProbability}`,
      );
      continue;
    }
    perOperationStrategies.push({ operation, probabilisticSampling });
  }
  return {
    ...response,
    operationSampling: {
      defaultSamplingProbability,
      defaultLowerBoundTracesPerSecond: 0,
      perOperationStrategies,
      defaultUpperBoundTracesPerSecond: 0,
    },
  };
}

function plainStrategy(
  { type, param }: Pick<OperationStrategy, "type" | "param">,
  what: string,
  { warn }: StrategyRules,
): SamplingStrategyResponse {
  if (type === "probabilistic") {
    return { ...builtInStrategy, probabilisticSampling: { samplingRate: param } };
  }
  if (type === "ratelimiting") {
    const limit = Math.max(-maxInt32 - 1, Math.min(maxInt32, Math.trunc(param)));
    if (limit !== Math.trunc(param)) {
      warn(`${what}: ${param} traces per second do not fit: it gets ${limit}`);
    }
    return {
      strategyType: RATE_LIMITING,
      probabilisticSampling: undefined,
      // -0.5 rounds to -0; adding 0 makes it 0.
      rateLimitingSampling: { maxTracesPerSecond: limit + 0 },
      operationSampling: undefined,
    };
  }
  warn(
    `${what}: type "${type}" is neither probabilistic nor ratelimiting: it gets probability ${builtInProbability}`,
  );
  return { ...builtInStrategy, strategyType: PROBABILISTIC };
}
