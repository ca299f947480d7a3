import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { damagedMessage, randomOf } from "../testing/damaged-message.ts";
import { snappyArbitrary } from "../testing/snappy-arbitrary.ts";
import { decompressSnappy } from "./decompress-snappy.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 5_000);
const timeoutMs = 20_000 + rounds * 2;
const maxBytes = 10_000;

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
const blocks = fc.sample(snappyArbitrary, { seed: 11, numRuns: 40 }).map(({ block }) => block);

test.each([
  { form: "blocks", messages: [...blocks, fixture("random.snappy"), fixture("text.snappy")] },
  { form: "streams", messages: [fixture("text.sz"), fixture("random.sz")] },
])(
  "answers damaged $form with at most its limit or a WireError, never otherwise",
  ({ messages }) => {
    const random = randomOf(2026);
    const seen = { good: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const message = damagedMessage(messages, random);
      try {
        expect(decompressSnappy(message, maxBytes).length).toBeLessThanOrEqual(maxBytes);
        seen.good++;
      } catch (error) {
        if (!(error instanceof WireError)) {
          throw new Error(message.toString("hex"), { cause: error });
        }
        seen.refused++;
      }
    }
    expect(seen.good).toBeGreaterThan(rounds / 1_000);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
