import type { ByteWriter } from "wire/rows";

const nothing = new Uint8Array(0);

/** Changes of bytes, ordered by position. All are applied in one copy. */
export class RowEdits {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #texts: Uint8Array[] = [];
  #growth = 0;

  get count(): number {
    return this.#starts.length;
  }

  /** Total number of bytes that the changes add; negative when they remove bytes. */
  get growth(): number {
    return this.#growth;
  }

  clear(): void {
    this.#starts.length = 0;
    this.#ends.length = 0;
    this.#texts.length = 0;
    this.#growth = 0;
  }

  /** Replaces `[start, end)`. `start` must not be before the end of the last change. */
  replace(start: number, end: number, text: Uint8Array = nothing): void {
    this.#starts.push(start);
    this.#ends.push(end);
    this.#texts.push(text);
    this.#growth += text.length - (end - start);
  }

  /** Reserves a change at `at` whose text depends on later changes. @returns slot for `fill` or `drop` */
  reserve(at: number): number {
    this.replace(at, at);
    return this.count - 1;
  }

  /** Sets the change of a slot from `reserve`: replaces `[start, end)`. */
  fill(slot: number, start: number, end: number, text: Uint8Array): void {
    this.#starts[slot] = start;
    this.#ends[slot] = end;
    this.#texts[slot] = text;
    this.#growth += text.length - (end - start);
  }

  /** Removes all changes from `slot` on. */
  drop(slot: number): void {
    for (let index = slot; index < this.count; index++) {
      const removed = (this.#ends[index] as number) - (this.#starts[index] as number);
      this.#growth -= (this.#texts[index] as Uint8Array).length - removed;
    }
    this.#starts.length = slot;
    this.#ends.length = slot;
    this.#texts.length = slot;
  }

  /** Writes `bytes` with all changes. */
  apply(bytes: Uint8Array, out: ByteWriter): void {
    let copied = 0;
    for (let index = 0; index < this.count; index++) {
      out.copy(bytes, copied, this.#starts[index] as number);
      const text = this.#texts[index] as Uint8Array;
      out.copy(text, 0, text.length);
      copied = this.#ends[index] as number;
    }
    out.copy(bytes, copied, bytes.length);
  }
}

/** Numbers below this limit are encoded in advance. */
const knownNumbers = 4096;
const known: (Uint8Array | undefined)[] = new Array(knownNumbers).fill(undefined);

/** An unsigned LEB128 number; the caller must not change the bytes. */
export function varintOf(value: number): Uint8Array {
  if (value >= knownNumbers) {
    return encoded(value);
  }
  const bytes = known[value] ?? encoded(value);
  known[value] = bytes;
  return bytes;
}

function encoded(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
