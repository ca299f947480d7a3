const noBytes = new DataView(new ArrayBuffer(0));

/** Compares parts of two memories, which may be the same one. One object serves all comparisons of its owner. */
export class ComparedBytes {
  one: DataView = noBytes;
  other: DataView = noBytes;

  /** True when `count` bytes, at least 4, are equal at two positions, one in each memory. */
  areSame(oneStart: number, otherStart: number, count: number): boolean {
    const { one, other } = this;
    const last = count - 4;
    const shift = otherStart - oneStart;
    let index = oneStart + last;
    // Starts at the end, because prefixes differ most in the scope. Each loop compares four words: for rows without
    // marks, this is half of a block's cost.
    for (; index >= oneStart + 16; index -= 16) {
      const different =
        (one.getInt32(index) ^ other.getInt32(index + shift)) |
        (one.getInt32(index - 4) ^ other.getInt32(index - 4 + shift)) |
        (one.getInt32(index - 8) ^ other.getInt32(index - 8 + shift)) |
        (one.getInt32(index - 12) ^ other.getInt32(index - 12 + shift));
      if (different !== 0) {
        return false;
      }
    }
    for (; index > oneStart; index -= 4) {
      if (one.getInt32(index) !== other.getInt32(index + shift)) {
        return false;
      }
    }
    return one.getInt32(oneStart) === other.getInt32(otherStart);
  }
}
