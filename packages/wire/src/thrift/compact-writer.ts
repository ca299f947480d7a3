import type { I64 } from "./thrift-structs.ts";

/**
 * Writes the values of Thrift's compact protocol, one after the other. For clients: load generators and tests; no
 * process of ours sends it.
 * Source: apache/thrift doc/specs/thrift-compact-protocol.md
 */
export class CompactWriter {
  #bytes = Buffer.allocUnsafe(1_024);
  #length = 0;

  /** What was written so far; a copy. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  byte(value: number): void {
    const start = this.#grow(1);
    this.#bytes[start] = value;
  }

  varint32(value: number): void {
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  zigzag32(value: number): void {
    this.varint32((value << 1) ^ (value >> 31));
  }

  zigzag64({ high, low }: I64): void {
    const value = (BigInt(high) << 32n) | BigInt(low >>> 0);
    let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
    while (rest >= 0x80n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  double(value: number): void {
    const start = this.#grow(8);
    this.#bytes.writeDoubleLE(value, start);
  }

  string(value: string): void {
    this.binary(Buffer.from(value));
  }

  binary(value: Uint8Array): void {
    this.varint32(value.length);
    const start = this.#grow(value.length);
    this.#bytes.set(value, start);
  }

  /** @param id of the field @param previousId of the field before it in the same struct, 0 for the first */
  fieldHeader(type: number, id: number, previousId: number): void {
    const delta = id - previousId;
    if (delta > 0 && delta < 16) {
      this.byte((delta << 4) | type);
    } else {
      this.byte(type);
      this.zigzag32(id);
    }
  }

  listHeader(type: number, count: number): void {
    if (count < 15) {
      this.byte((count << 4) | type);
    } else {
      this.byte(0xf0 | type);
      this.varint32(count);
    }
  }

  /** Ends a struct. */
  stop(): void {
    this.byte(0);
  }

  #grow(length: number): number {
    const start = this.#length;
    this.#length += length;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    return start;
  }
}
