/** Bytes of rows that a `RowScanner` has checked, with a reading position. */
export class RowBytes {
  readonly bytes: Uint8Array;
  /** The same memory as `bytes`. */
  readonly view: DataView;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Skips an unsigned LEB128 length. */
  length(): number {
    const { bytes } = this;
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = bytes[this.position++] as number;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        return value;
      }
    }
  }

  /** Skips a string. @returns position of the string's length, which precedes its bytes */
  string(): number {
    const start = this.position;
    const length = this.length();
    this.position += length;
    return start;
  }
}
