/** For tests: a small seeded generator (mulberry32), so that a failure can be repeated. */
export function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/**
 * For tests: a message with a few changed bytes, or with a piece removed, duplicated, or taken from another
 * message.
 */
export function damagedMessage(messages: readonly Uint8Array[], random: (below: number) => number): Buffer {
  const one = (): Buffer => Buffer.from(messages[random(messages.length)] ?? []);
  let message = one();
  for (let change = random(3); change >= 0; change--) {
    const at = random(message.length);
    const end = at + random(Math.min(40, message.length - at));
    const kind = random(8);
    if (kind === 0) {
      message = Buffer.concat([message.subarray(0, at), message.subarray(end)]);
    } else if (kind === 1) {
      message = Buffer.concat([message.subarray(0, end), message.subarray(at)]);
    } else if (kind === 2) {
      const other = one();
      message = Buffer.concat([message.subarray(0, at), other.subarray(random(other.length))]);
    } else {
      message[at] = random(2) === 0 ? random(256) : (message[random(message.length)] as number);
    }
    if (message.length === 0) {
      message = one();
    }
  }
  return message;
}
