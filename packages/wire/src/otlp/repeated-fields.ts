import type { FieldList } from "./field-list.ts";

/** Size limit of a cached message in bytes; longer messages rarely repeat. */
const longestBytes = 8 * 1024;
/** Number of bytes at each end of a field that are hashed. */
const hashedBytes = 32;
/** The seed is random, so that senders cannot choose fields with equal hashes. */
const seed = Math.floor(Math.random() * 2 ** 31);

interface Kept<T> {
  bytes: Buffer;
  length: number;
  hash: number;
  owner: string;
  value: T;
}

/** Caches results by the bytes of the fields of recent messages. */
export class RepeatedFields<T> {
  readonly #most: number;
  readonly #kept: Kept<T>[] = [];
  /** Index at which the next search starts, because senders repeat resources in the same order. */
  #next = 0;
  #oldest = 0;

  /** @param most limit of cached messages; at the limit, a new message replaces the oldest */
  constructor(most: number) {
    this.#most = most;
  }

  /** The cached result for the same fields in the same order, and for the same owner. */
  find(source: Buffer, fields: FieldList, owner: string): T | undefined {
    const { length: count } = this.#kept;
    const length = lengthOf(fields);
    const hash = hashOf(source, fields);
    for (let turn = 0, index = this.#next; turn < count; turn++, index++) {
      if (index >= count) {
        index = 0;
      }
      const kept = this.#kept[index] as Kept<T>;
      if (kept.hash !== hash || kept.length !== length || kept.owner !== owner) {
        continue;
      }
      if (!isSame(kept.bytes, source, fields)) {
        continue;
      }
      this.#next = index + 1;
      return kept.value;
    }
    return undefined;
  }

  /** Caches a value for fields that `find` did not find. @returns false for fields that are too long */
  keep(source: Buffer, fields: FieldList, owner: string, value: T): boolean {
    const length = lengthOf(fields);
    if (length > longestBytes) {
      return false;
    }
    const old = this.#kept[this.#oldest];
    const bytes =
      old !== undefined && old.bytes.length >= length ? old.bytes : Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (let index = 0; index < fields.count; index++) {
      at += source.copy(bytes, at, fields.start(index), fields.end(index));
    }
    this.#kept[this.#oldest] = { bytes, length, hash: hashOf(source, fields), owner, value };
    this.#next = this.#oldest + 1;
    this.#oldest = this.#next % this.#most;
    return true;
  }
}

function lengthOf(fields: FieldList): number {
  let length = 0;
  for (let index = 0; index < fields.count; index++) {
    length += fields.end(index) - fields.start(index);
  }
  return length;
}

/**
 * All bytes of short fields are hashed. Therefore, different fields rarely have equal hashes, which would cost a
 * comparison with each cached message.
 */
function hashOf(source: Buffer, fields: FieldList): number {
  let hash = seed;
  for (let index = 0; index < fields.count; index++) {
    const start = fields.start(index);
    const end = fields.end(index);
    const headEnd = Math.min(end, start + hashedBytes);
    for (let at = start; at < headEnd; at++) {
      hash = Math.imul(hash ^ (source[at] as number), 0x01000193);
    }
    for (let at = Math.max(headEnd, end - hashedBytes); at < end; at++) {
      hash = Math.imul(hash ^ (source[at] as number), 0x01000193);
    }
  }
  return hash;
}

/** @param bytes at least as many bytes as all fields have */
function isSame(bytes: Buffer, source: Buffer, fields: FieldList): boolean {
  let at = 0;
  for (let index = 0; index < fields.count; index++) {
    const start = fields.start(index);
    const end = fields.end(index);
    const next = at + end - start;
    if (bytes.compare(source, start, end, at, next) !== 0) {
      return false;
    }
    at = next;
  }
  return true;
}
