import { randomInt } from "node:crypto";

/** Returns a whole number from 0 to `below` - 1. */
export type Random = (below: number) => number;

/** A random seed; the caller prints it, so that a failure can be repeated. */
export function newSeed(): number {
  return randomInt(2 ** 31);
}

/** A small seeded generator: mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** @throws Error for an empty list */
export function pick<T>(random: Random, items: readonly T[]): T {
  const index = random(items.length);
  if (!(index in items)) {
    throw new Error("nothing to pick from");
  }
  return items[index] as T;
}
