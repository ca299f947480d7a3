import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { HealthCheckRequest } from "../gen/grpc/health/v1/health.ts";
import { ServerReflectionRequest } from "../gen/grpc/reflection/v1/reflection.ts";
import { FindTracesRequest } from "../gen/tracing/api_v2/query.ts";
import { SamplingStrategyParameters, SamplingStrategyResponse } from "../gen/tracing/api_v2/sampling.ts";
import { legacySamplingJson } from "../sampling/legacy-sampling-json.ts";
import { samplingJson } from "../sampling/sampling-json.ts";
import { damagedMessage, randomOf } from "../testing/damaged-message.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run …`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 3_000);
const timeoutMs = 20_000 + rounds * 2;

const strategy: SamplingStrategyResponse = {
  strategyType: 0,
  probabilisticSampling: { samplingRate: 0.5 },
  rateLimitingSampling: { maxTracesPerSecond: 40_000 },
  operationSampling: {
    defaultSamplingProbability: 0.001,
    defaultLowerBoundTracesPerSecond: 0.016,
    perOperationStrategies: [{ operation: "GET /", probabilisticSampling: { samplingRate: 0.1 } }],
    defaultUpperBoundTracesPerSecond: 1,
  },
};

/** Converts a collector's answer to the form that the agent returns to its clients. */
function shownStrategy(bytes: Uint8Array): void {
  const response = SamplingStrategyResponse.decode(bytes);
  JSON.parse(samplingJson(response));
  try {
    JSON.parse(legacySamplingJson(response));
  } catch (error) {
    if (!(error instanceof WireError)) {
      throw error;
    }
  }
}

const traces = FindTracesRequest.encode({
  query: {
    serviceName: "shop",
    operationName: "GET /",
    tags: { error: "true" },
    startTimeMin: { seconds: 1_700_000_000n, nanos: 5 },
    startTimeMax: { seconds: 1_700_000_001n, nanos: 5 },
    durationMin: { seconds: 0n, nanos: 5 },
    durationMax: undefined,
    searchDepth: 20,
  },
}).finish();

/** The readers of small messages: requests to us, and answers of collectors to the agent. */
const readers: Record<string, [read: (bytes: Uint8Array) => unknown, message: Uint8Array]> = {
  "a question for a strategy": [
    SamplingStrategyParameters.decode,
    SamplingStrategyParameters.encode({ serviceName: "shop" }).finish(),
  ],
  "a collector's strategy, shown to a client": [
    shownStrategy,
    SamplingStrategyResponse.encode(strategy).finish(),
  ],
  "a question for health": [
    HealthCheckRequest.decode,
    HealthCheckRequest.encode({ service: "jaeger.api_v2.CollectorService" }).finish(),
  ],
  "a question of reflection": [
    ServerReflectionRequest.decode,
    ServerReflectionRequest.encode({
      host: "h",
      messageRequest: { $case: "fileContainingSymbol", value: "jaeger.api_v2.SamplingManager" },
    }).finish(),
  ],
  "a search": [FindTracesRequest.decode, traces],
};

describe.each(Object.entries(readers))("%s", (_, [read, message]) => {
  test(
    "gives a message or an error, whatever is damaged",
    () => {
      const random = randomOf(2026);
      const seen = { good: 0, refused: 0 };
      for (let round = 0; round < rounds; round++) {
        const damaged = damagedMessage([message], random);
        try {
          read(damaged);
          seen.good++;
        } catch (error) {
          // The error must come from a range check or from protobuf, never from a fault in our code.
          if (!(error instanceof Error) || error instanceof TypeError || error instanceof ReferenceError) {
            throw new Error(damaged.toString("hex"), { cause: error });
          }
          seen.refused++;
        }
      }
      expect(seen.good).toBeGreaterThan(rounds / 50);
      expect(seen.refused).toBeGreaterThan(rounds / 50);
    },
    timeoutMs,
  );

  test.each([
    ["groups without end", Buffer.alloc(4 * 1024 * 1024, 0x4b)],
    ["a length that lies", Buffer.from("0affffffff0f", "hex")],
    ["a varint without end", Buffer.concat([Buffer.of(0x48), Buffer.alloc(20, 0xff)])],
  ])("refuses %s, and reads on", (_name, bytes) => {
    expect(() => read(bytes)).toThrow(Error);
    expect(() => read(message)).not.toThrow();
  });
});
