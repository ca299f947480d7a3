/** For tests: a random number below `below`. */
export type Random = (below: number) => number;

/** For tests: a small seeded generator (mulberry32), so that a failure can be repeated. */
export function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** For tests: bytes that are shortened, have flipped bits, or have a missing, repeated or exchanged piece. */
export function damagedBytes(originals: readonly Buffer[], random: Random): Buffer {
  const one = () => originals[random(originals.length)] as Buffer;
  const bytes = Buffer.from(one());
  const [from, to] = [random(bytes.length + 1), random(bytes.length + 1)];
  switch (random(6)) {
    case 0:
      return bytes.subarray(0, from);
    case 1:
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    case 2: {
      const other = one();
      return Buffer.concat([bytes.subarray(0, from), other.subarray(random(other.length))]);
    }
    case 3:
      for (let count = random(3); count >= 0; count--) {
        bytes[random(bytes.length)] = random(256);
      }
      return bytes;
    default:
      for (let count = random(3); count >= 0; count--) {
        // Headers are damaged more often than data, because they have the most kinds of faults.
        const at = random(random(2) === 0 ? bytes.length : Math.min(bytes.length, 45));
        bytes[at] = (bytes[at] as number) ^ (1 << random(8));
      }
      return bytes;
  }
}
