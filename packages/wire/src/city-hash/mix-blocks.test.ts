import fc from "fast-check";
import { expect, test } from "vitest";
import { mixBlocks } from "./mix-blocks.ts";
import { k1, type MixState, rotate, u64, weakHash32 } from "./mixing.ts";

/** Mixes 64 bytes into a state, as in the C++ source. */
function mix64(state: MixState, view: DataView, at: number): void {
  const { v, w } = state;
  const x = u64(rotate(u64(state.x + state.y + v[0] + view.getBigUint64(at + 16, true)), 37n) * k1) ^ w[1];
  const y = u64(rotate(u64(state.y + v[1] + view.getBigUint64(at + 48, true)), 42n) * k1) ^ v[0];
  const z = rotate(state.z ^ w[0], 33n);
  state.v = weakHash32(view, at, u64(v[1] * k1), u64(x + w[0]));
  state.w = weakHash32(view, at + 32, u64(z + w[1]), y);
  state.x = z;
  state.y = y;
  state.z = x;
}

const word = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const states = fc.record({
  ...{ x: word, y: word, z: word },
  v: fc.tuple(word, word),
  w: fc.tuple(word, word),
});
const bytes = fc
  .integer({ min: 0, max: 5 })
  .chain((pieces) => fc.uint8Array({ minLength: 64 * pieces, maxLength: 64 * pieces }));

test("halves of 32 bits give what numbers of 64 do", () => {
  fc.assert(
    fc.property(states, bytes, fc.integer({ min: 0, max: 7 }), (state, mixed, offset) => {
      const memory = new Uint8Array(offset + mixed.length);
      memory.set(mixed, offset);
      const view = new DataView(memory.buffer);
      const byHalves: MixState = { ...state };
      const byNumbers: MixState = { ...state };
      mixBlocks(byHalves, view, offset, mixed.length);
      for (let at = 0; at < mixed.length; at += 64) {
        mix64(byNumbers, view, offset + at);
      }
      expect(byHalves).toEqual(byNumbers);
    }),
  );
});
