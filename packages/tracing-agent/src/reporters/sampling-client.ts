import { grpcError, grpcStatusGoName, prefixed } from "http-protocols/grpc-client";
import { SamplingStrategyParameters, SamplingStrategyResponse } from "wire/api-v2";
import { collectorMethods } from "./collector-methods.ts";
import type { CollectorPool } from "./collector-pool.ts";

/** A collector answered with an error, or no collector answered. The message has Jaeger's form. */
export class CollectorError extends Error {
  override readonly name = "CollectorError";
}

/** Requests the sampling strategy of a service from the collectors in turn. */
export class SamplingClient {
  readonly #collectors: CollectorPool;

  constructor(collectors: CollectorPool) {
    this.#collectors = collectors;
  }

  /** @throws CollectorError "rpc error: code = Unavailable desc = …" */
  async strategyFor(service: string): Promise<SamplingStrategyResponse> {
    const answer = await this.#collectors.call(
      collectorMethods.getSamplingStrategy,
      prefixed(SamplingStrategyParameters.encode({ serviceName: service }).finish()),
    );
    if (answer.status === "OK") {
      try {
        return SamplingStrategyResponse.decode(answer.message);
      } catch (error) {
        throw rpcError(grpcError("INTERNAL", `the answer cannot be read: ${String(error)}`));
      }
    }
    throw rpcError(answer);
  }
}

function rpcError({ status, details }: ReturnType<typeof grpcError>): CollectorError {
  return new CollectorError(`rpc error: code = ${grpcStatusGoName(status)} desc = ${details}`);
}
