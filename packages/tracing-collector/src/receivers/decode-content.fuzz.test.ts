import { setImmediate } from "node:timers/promises";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing/damaged-message";
import { HttpError } from "./http-error.ts";
import { decodeContent } from "./http-spans.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 1_000);
const timeoutMs = 20_000 + rounds * 2;
const maxBytes = 5_000;

/** The last body is a bomb: 2 KB that expand to 2 MB. */
const bodies = [Buffer.from("spans ".repeat(30)), Buffer.alloc(maxBytes, "ab"), Buffer.alloc(2_000_000)];

test.each([
  { encoding: "gzip", compress: gzipSync },
  { encoding: "deflate", compress: deflateSync },
  { encoding: "zstd", compress: zstdCompressSync },
])(
  "answers damaged $encoding with at most its limit, 400 or 413, never otherwise",
  async ({ encoding, compress }) => {
    const messages = bodies.map((body) => compress(body));
    const random = randomOf(2026);
    const seen: Record<number, number> = { 200: 0, 400: 0, 413: 0 };
    for (let round = 0; round < rounds; round++) {
      const message = damagedMessage(messages, random);
      let outcome = 200;
      try {
        expect(decodeContent(message, encoding, maxBytes).length).toBeLessThanOrEqual(maxBytes);
      } catch (error) {
        if (!(error instanceof HttpError)) {
          throw new Error(message.toString("hex"), { cause: error });
        }
        outcome = error.status;
      }
      seen[outcome] = (seen[outcome] ?? 0) + 1;
      // zlib releases a message's buffers in the next turn of the event loop. In a collector such a turn follows each
      // request.
      if (round % 100 === 99) {
        await setImmediate();
      }
    }
    for (const count of Object.values(seen)) {
      expect(count).toBeGreaterThan(rounds / 200);
    }
  },
  timeoutMs,
);
