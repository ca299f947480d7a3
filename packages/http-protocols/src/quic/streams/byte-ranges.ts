/** Bytes from `from` up to `to`, which is not included. */
export interface ByteRange {
  from: number;
  to: number;
}

/** A set of bytes of a stream, as ascending ranges with gaps between them. */
export class ByteRanges {
  readonly #ranges: ByteRange[] = [];

  get count(): number {
    return this.#ranges.length;
  }

  /** The range with the lowest offset. */
  get first(): ByteRange | undefined {
    return this.#ranges[0];
  }

  /** Adds bytes, and joins ranges that touch. */
  add(from: number, to: number): void {
    if (to <= from) {
      return;
    }
    const ranges = this.#ranges;
    let index = ranges.length;
    while (index > 0 && (ranges[index - 1] as ByteRange).to >= from) {
      index--;
    }
    let end = index;
    const joined = { from, to };
    while (end < ranges.length && (ranges[end] as ByteRange).from <= to) {
      const range = ranges[end] as ByteRange;
      joined.from = Math.min(joined.from, range.from);
      joined.to = Math.max(joined.to, range.to);
      end++;
    }
    ranges.splice(index, end - index, joined);
  }

  /** Removes and returns up to `length` bytes from the beginning of the first range. */
  shift(length: number): ByteRange | undefined {
    const first = this.#ranges[0];
    if (first === undefined) {
      return undefined;
    }
    const taken = { from: first.from, to: Math.min(first.from + length, first.to) };
    if (taken.to === first.to) {
      this.#ranges.shift();
    } else {
      first.from = taken.to;
    }
    return taken;
  }

  /** Removes bytes, which may split a range in two. */
  remove(from: number, to: number): void {
    if (to <= from) {
      return;
    }
    for (let index = this.#ranges.length - 1; index >= 0; index--) {
      const range = this.#ranges[index] as ByteRange;
      if (range.from >= to) {
        continue;
      }
      if (range.to <= from) {
        break;
      }
      const rest: ByteRange[] = [];
      if (range.from < from) {
        rest.push({ from: range.from, to: from });
      }
      if (range.to > to) {
        rest.push({ from: to, to: range.to });
      }
      this.#ranges.splice(index, 1, ...rest);
    }
  }

  clear(): void {
    this.#ranges.length = 0;
  }
}
