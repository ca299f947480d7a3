import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SpanStarts } from "./order-by-start.ts";

async function orderOf(starts: readonly bigint[]): Promise<number[]> {
  const added = new SpanStarts();
  for (const start of starts) {
    added.add(Number(BigInt.asIntN(32, start >> 32n)), Number(BigInt.asUintN(32, start)));
  }
  return [...(await added.inOrder())];
}

function expected(starts: readonly bigint[]): number[] {
  const compare = (one: bigint, other: bigint) => (one === other ? 0 : one < other ? -1 : 1);
  return starts
    .map((_, index) => index)
    .sort((one, other) => compare(starts[one] as bigint, starts[other] as bigint));
}

describe("SpanStarts", () => {
  test("puts starts in order, equal ones as they came", async () => {
    const start = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt({ min: -3n, max: 3n }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(start), async (starts) => {
        expect(await orderOf(starts)).toEqual(expected(starts));
      }),
    );
  });

  test.each([8_191, 8_192, 8_193, 16_384, 50_001, 150_000])("puts %d starts in order", async (count) => {
    const base = 1_795_273_381_000_000_000n;
    // Starts in scattered order, some of them equal.
    const starts = Array.from({ length: count }, (_, index) => base + BigInt((index * 7_919) % 60_013));
    expect(await orderOf(starts)).toEqual(expected(starts));
  });
});
