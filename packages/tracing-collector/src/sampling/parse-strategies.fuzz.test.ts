import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing/damaged-message";
import { parseStrategies, StrategiesError } from "./parse-strategies.ts";
import { strategiesOfFile } from "./strategies-of-file.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 2_000);
const timeoutMs = 20_000 + rounds * 2;

const files = [
  {
    default_strategy: {
      type: "probabilistic",
      param: 0.5,
      operation_strategies: [{ operation: "/health", type: "probabilistic", param: 0 }],
    },
    service_strategies: [
      { service: "foo", type: "ratelimiting", param: 5 },
      { service: "bar", type: "probabilistic", param: 0.8, operation_strategies: [] },
    ],
  },
  { service_strategies: [{ service: "a", type: "probabilistic", param: 1 }] },
  null,
].map((file) => Buffer.from(JSON.stringify(file)));

test(
  "makes strategies of a damaged file, or says what is wrong with it",
  () => {
    const random = randomOf(2026);
    const seen = { good: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const text = damagedMessage(files, random).toString();
      try {
        const file = parseStrategies(text);
        if (file !== undefined) {
          strategiesOfFile(file, { defaultOperationsForRateLimited: random(2) === 0, warn: () => {} });
        }
        seen.good++;
      } catch (error) {
        if (!(error instanceof StrategiesError)) {
          throw new Error(text, { cause: error });
        }
        seen.refused++;
      }
    }
    expect(seen.good).toBeGreaterThan(rounds / 20);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
