import { attributeMark } from "./attribute-list.ts";

const slots = 2048;
/** Size limit of a cached value in bytes; longer values rarely repeat. */
const longestBytes = 96;

/**
 * Caches decoded values by their bytes in one buffer. Each hash has one slot, in which a new value replaces the old
 * value. A value is cached only at its second occurrence, so that values which occur only once, such as ids, are freed
 * soon.
 */
export class RepeatCache<T> {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #offsets = new Int32Array(slots);
  readonly #lengths = new Int32Array(slots).fill(-1);
  readonly #values = new Array<T | undefined>(slots).fill(undefined);
  #slot = 0;
  #isRepeated = false;
  #end = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The value cached for the bytes `[start, end)`. */
  find(start: number, end: number): T | undefined {
    const length = end - start;
    if (length > longestBytes) {
      return undefined;
    }
    return this.#valueAt(this.#slotOf(start, end), start, end);
  }

  /**
   * The cached value for the bytes between `start` and the next 0xFF mark, which must exist; `end` is then the mark's
   * position.
   */
  findToMark(start: number): T | undefined {
    const bytes = this.#bytes;
    const view = this.#view;
    const lastWord = bytes.length - 4;
    let hash = 0;
    let index = start;
    for (; index <= lastWord; index += 4) {
      const word = view.getInt32(index);
      // True when a byte of the word is 0xFF; this is the usual test for a zero byte, applied to the inverted word.
      if (((~word - 0x01010101) & word & 0x80808080) !== 0) {
        break;
      }
      hash = mix(hash, word);
    }
    for (let byte = bytes[index]; byte !== attributeMark; byte = bytes[++index]) {
      hash = mix(hash, byte as number);
    }
    this.#end = index;
    if (index - start > longestBytes) {
      return undefined;
    }
    return this.#valueAt(mix(hash >>> 16, hash) & (slots - 1), start, index);
  }

  /** Position of the mark at which `findToMark` stopped. */
  get end(): number {
    return this.#end;
  }

  /** Caches the value for the bytes of the last `find`, if they have occurred before. */
  keep(start: number, end: number, value: T): void {
    const length = end - start;
    if (length > longestBytes) {
      return;
    }
    this.#offsets[this.#slot] = start;
    this.#lengths[this.#slot] = length;
    this.#values[this.#slot] = this.#isRepeated ? value : undefined;
  }

  #valueAt(slot: number, start: number, end: number): T | undefined {
    this.#slot = slot;
    this.#isRepeated =
      this.#lengths[slot] === end - start && this.#same(this.#offsets[slot] as number, start, end);
    return this.#isRepeated ? this.#values[slot] : undefined;
  }

  #slotOf(start: number, end: number): number {
    let hash = end - start;
    let index = start;
    for (; index <= end - 4; index += 4) {
      hash = mix(hash, this.#view.getInt32(index));
    }
    for (; index < end; index++) {
      hash = mix(hash, this.#bytes[index] as number);
    }
    return mix(hash >>> 16, hash) & (slots - 1);
  }

  #same(left: number, start: number, end: number): boolean {
    const shift = left - start;
    let index = start;
    for (; index <= end - 4; index += 4) {
      if (this.#view.getInt32(index) !== this.#view.getInt32(index + shift)) {
        return false;
      }
    }
    for (; index < end; index++) {
      if (this.#bytes[index] !== this.#bytes[index + shift]) {
        return false;
      }
    }
    return true;
  }
}

/** Mixes `more` into the hash. Upper bits are also mixed into lower bits, because the lowest bits select the slot. */
function mix(hash: number, more: number): number {
  const product = Math.imul(hash ^ more, 0x9e3779b1);
  return product ^ (product >>> 15);
}
