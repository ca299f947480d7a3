/** Bytes that never change and that are sent again and again. */
const stable = new WeakSet<Uint8Array>();

/** What was made of such bytes, by a key of the maker; it goes when the bytes go. */
const derived = new WeakMap<Uint8Array, Map<string, Buffer>>();

/** Says that these bytes are kept and sent to many: what is made of them is worth keeping too. */
export function markStable(bytes: Uint8Array): void {
  stable.add(bytes);
}

/** Makes something of bytes; of stable ones it is made once. @param key says what, and with which settings */
export function deriveBody(bytes: Uint8Array, key: string, make: (bytes: Uint8Array) => Buffer): Buffer {
  if (!stable.has(bytes)) {
    return make(bytes);
  }
  let known = derived.get(bytes);
  if (known === undefined) {
    known = new Map();
    derived.set(bytes, known);
  }
  let made = known.get(key);
  if (made === undefined) {
    made = make(bytes);
    known.set(key, made);
  }
  return made;
}
