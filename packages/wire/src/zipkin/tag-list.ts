const initialTags = 32;
/**
 * Number of tags that a list keeps room for. A list that grew beyond this limit for one large span is freed at the next
 * `clear`.
 */
const keptTags = 4096;
/**
 * Number of tags above which a hash table is used instead of comparing keys, so that a sender cannot cause quadratic
 * work.
 */
const comparedTags = 32;

/**
 * Positions of keys and values of one span's tags in a message. When a key is repeated, the later value replaces the
 * earlier one, as in a map.
 */
export class TagList {
  /** The bytes that all places refer to. A longer copy of the bytes may replace this buffer while a span is read. */
  bytes: Buffer = Buffer.alloc(0);
  count = 0;
  /** Four numbers for each tag: start and end of its key, start and end of its value. */
  offsets = new Int32Array(initialTags * 4);
  #byKey: Map<string, number> | undefined;

  clear(): void {
    this.count = 0;
    this.#byKey = undefined;
    if (this.offsets.length > keptTags * 4) {
      this.offsets = new Int32Array(initialTags * 4);
    }
  }

  add(keyStart: number, keyEnd: number, valueStart: number, valueEnd: number): void {
    let tag = this.#find(keyStart, keyEnd);
    if (tag === -1) {
      tag = this.count++;
      this.#byKey?.set(this.bytes.toString("latin1", keyStart, keyEnd), tag);
      if (tag * 4 === this.offsets.length) {
        const grown = new Int32Array(tag * 8);
        grown.set(this.offsets);
        this.offsets = grown;
      }
      this.offsets[tag * 4] = keyStart;
      this.offsets[tag * 4 + 1] = keyEnd;
    }
    this.offsets[tag * 4 + 2] = valueStart;
    this.offsets[tag * 4 + 3] = valueEnd;
  }

  /** @returns index of the tag with this key, or -1 */
  #find(keyStart: number, keyEnd: number): number {
    const { bytes, count, offsets } = this;
    if (count > comparedTags) {
      this.#byKey ??= this.#indexed();
      return this.#byKey.get(bytes.toString("latin1", keyStart, keyEnd)) ?? -1;
    }
    const length = keyEnd - keyStart;
    for (let tag = 0; tag < count; tag++) {
      const start = offsets[tag * 4] as number;
      if ((offsets[tag * 4 + 1] as number) - start !== length) {
        continue;
      }
      let at = length - 1;
      while (at >= 0 && bytes[start + at] === bytes[keyStart + at]) {
        at--;
      }
      if (at < 0) {
        return tag;
      }
    }
    return -1;
  }

  #indexed(): Map<string, number> {
    const { bytes } = this;
    const byKey = new Map<string, number>();
    for (let tag = 0; tag < this.count; tag++) {
      byKey.set(
        bytes.toString("latin1", this.offsets[tag * 4] as number, this.offsets[tag * 4 + 1] as number),
        tag,
      );
    }
    return byKey;
  }
}
