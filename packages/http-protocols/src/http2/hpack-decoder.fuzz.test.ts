import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { encodeHeaders } from "./encode-headers.ts";
import type { HeaderField } from "./header-field.ts";
import { HpackDecoder } from "./hpack-decoder.ts";
import { HpackError } from "./hpack-error.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 5_000);
const timeoutMs = 20_000 + rounds * 2;

const maxListBytes = 1_000;
const maxTableBytes = 4_096;

/** Examples of RFC 7541, appendix C, in the order of one connection, and blocks from our own encoder. */
const blocks: readonly Buffer[] = [
  ...[
    "828684410f7777772e6578616d706c652e636f6d",
    "828684be58086e6f2d6361636865",
    "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
    "828684418cf1e3c2e5f23a6ba0ab90f4ff",
    "828684be5886a8eb10649cbf",
    "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
    "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3",
    "3fe11f40016101628286be",
  ].map((hex) => Buffer.from(hex, "hex")),
  encodeHeaders([{ name: "te", value: "trailers" }]),
];

/** Decodes several blocks of one connection, so that later blocks use the table that earlier ones filled. */
function outcomeOf(connection: readonly Buffer[]): HeaderField[][] | string {
  const decoder = new HpackDecoder({ maxListBytes, maxTableBytes });
  const lists: HeaderField[][] = [];
  try {
    for (const block of connection) {
      lists.push(decoder.decode(block));
    }
    return lists;
  } catch (error) {
    if (error instanceof HpackError) {
      return error.code;
    }
    throw new Error(connection.map((block) => block.toString("hex")).join(" "), { cause: error });
  }
}

test(
  "answers damaged header blocks with fields or an HpackError, never otherwise",
  () => {
    const random = randomOf(2026);
    const seen = { good: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const connection = Array.from({ length: 1 + random(3) }, () => damagedMessage(blocks, random));
      const outcome = outcomeOf(connection);
      if (typeof outcome === "string") {
        seen.refused++;
        continue;
      }
      seen.good++;
      for (const fields of outcome) {
        const bytes = fields.reduce((sum, { name, value }) => sum + name.length + value.length + 32, 0);
        expect(bytes).toBeLessThanOrEqual(maxListBytes);
        // Decoded fields can be encoded, and decode to the same.
        if (round % 16 === 0) {
          expect(new HpackDecoder({ maxListBytes }).decode(encodeHeaders(fields))).toEqual(fields);
        }
      }
    }
    expect(seen.good).toBeGreaterThan(rounds / 20);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
