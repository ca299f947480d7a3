import fc from "fast-check";
import { expect, test } from "vitest";
import { BlockCache } from "./block-cache.ts";
import { type PackedBlock, PlainBytes } from "./packed-block.ts";

/** Bytes that an entry costs besides its data. */
const entryBytes = 256;

function blockOf(length: number): PackedBlock {
  return { end: length, bytes: new PlainBytes(Buffer.allocUnsafeSlow(length)) };
}

function refuse(): never {
  throw new Error("it is there, and not to be unpacked");
}

test("keeps the blocks that were asked for last, as many as go into its bytes", () => {
  const steps = fc.array(fc.tuple(fc.nat(12), fc.nat(1_500)), { maxLength: 100 });
  fc.assert(
    fc.property(fc.nat(8_000), steps, (maxBytes, asked) => {
      const cache = new BlockCache(maxBytes);
      // Cached blocks; the block that was used last is at the end.
      let kept: { readonly key: number; readonly block: PackedBlock; readonly cost: number }[] = [];
      for (const [key, length] of asked) {
        const known = kept.find((one) => one.key === key);
        let unpacked = 0;
        const block = cache.take(`file:${key}`, () => {
          unpacked++;
          return blockOf(length);
        });
        expect(unpacked).toBe(known === undefined ? 1 : 0);
        if (known !== undefined) {
          expect(block).toBe(known.block);
        }
        const cost = known?.cost ?? length + entryBytes;
        kept = [...kept.filter((one) => one.key !== key), { key, block, cost }];
        const bytes = () => kept.reduce((sum, one) => sum + one.cost, 0);
        while (bytes() > maxBytes) {
          kept.shift();
        }
        expect(cache.bytes).toBe(bytes());
        expect(cache.bytes).toBeLessThanOrEqual(maxBytes);
      }
      for (const { key, block } of kept) {
        expect(cache.take(`file:${key}`, refuse)).toBe(block);
      }
    }),
  );
});

test("keeps nothing of what cannot be unpacked", () => {
  const cache = new BlockCache(10_000);
  cache.take("a", () => blockOf(100));
  const fail = () =>
    cache.take("b", () => {
      throw new Error("damaged");
    });
  expect(fail).toThrow("damaged");
  expect(fail).toThrow("damaged");
  expect(cache.bytes).toBe(100 + entryBytes);
  expect(cache.take("b", () => blockOf(5)).end).toBe(5);
});

test("gives a block that is larger than itself, and does not keep it", () => {
  const cache = new BlockCache(1_000);
  cache.take("small", () => blockOf(10));
  expect(cache.take("large", () => blockOf(5_000)).end).toBe(5_000);
  expect(cache.bytes).toBe(0);
  expect(cache.take("large", () => blockOf(7)).end).toBe(7);
});

test("counts what is held of a block, not what can be unpacked of it", () => {
  const cache = new BlockCache(1_000);
  const bytes = { length: 1_000_000, heldBytes: 100, subarray: () => Buffer.alloc(0) };
  cache.take("integers", () => ({ end: 1, bytes }));
  expect(cache.bytes).toBe(100 + entryBytes);
});
