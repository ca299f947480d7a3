/** Values derived from immutable bytes, by a key of the maker; they are freed with the bytes. */
const derived = new WeakMap<Uint8Array, Map<string, Buffer> | undefined>();

/** The largest body that is kept together with a head, in bytes. */
export const maxKeptResponseBytes = 16 * 1024;

/** Marks bytes that never change and are sent to many clients, so that derived data is cached too. */
export function markStable(bytes: Uint8Array): void {
  if (!derived.has(bytes)) {
    derived.set(bytes, undefined);
  }
}

/** Whether {@link markStable} was called for these bytes. */
export function isStable(bytes: Uint8Array): boolean {
  return derived.has(bytes);
}

/** Makes other bytes from a body, once for a stable one. @param key names the maker and its settings */
export function deriveBody(bytes: Uint8Array, key: string, make: (bytes: Uint8Array) => Buffer): Buffer {
  if (!derived.has(bytes)) {
    return make(bytes);
  }
  const known = derived.get(bytes) ?? new Map<string, Buffer>();
  derived.set(bytes, known);
  let made = known.get(key);
  if (made === undefined) {
    made = make(bytes);
    known.set(key, made);
  }
  return made;
}
