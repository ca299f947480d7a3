/**
 * Buffers derived from immutable bytes, by the key of {@link deriveBody}. A buffer is freed with the bytes from which
 * it was derived.
 */
const derived = new WeakMap<Uint8Array, Map<string, Buffer> | undefined>();

/** Size limit in bytes of a body that is stored together with its head. */
export const maxKeptResponseBytes = 16 * 1024;

/** Marks bytes that never change and are sent to many clients, so that data derived from them is cached too. */
export function markImmutable(bytes: Uint8Array): void {
  if (!derived.has(bytes)) {
    derived.set(bytes, undefined);
  }
}

export function isImmutable(bytes: Uint8Array): boolean {
  return derived.has(bytes);
}

/**
 * Converts a body to other bytes; the result for a stable body is cached. @param key identifies the conversion and its
 * settings
 */
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
