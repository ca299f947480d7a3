import { decodeHuffman } from "../http2/huffman.ts";

/** Largest integer. No valid index, length or prefix reaches it. */
const maxInteger = 2 ** 31;

/** Errors that a reader throws. */
export interface QpackFaults {
  /** Makes the error for malformed bytes. */
  malformed(message: string): Error;
  /** Makes the error for bytes that end too early. */
  short(): Error;
}

/** Reads QPACK's integers and strings. */
export class QpackReader {
  readonly #bytes: Buffer;
  readonly #faults: QpackFaults;
  #at = 0;

  constructor(bytes: Buffer, faults: QpackFaults) {
    this.#bytes = bytes;
    this.#faults = faults;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Number of bytes that were read. */
  get position(): number {
    return this.#at;
  }

  /** The next byte. */
  get peek(): number {
    if (this.left <= 0) {
      throw this.#faults.short();
    }
    return this.#bytes[this.#at] as number;
  }

  /** An integer in the low bits of the next byte and the bytes after it. Source: RFC 7541, section 5.1 */
  integer(prefixBits: number): number {
    const mask = 2 ** prefixBits - 1;
    let value = this.#byte() & mask;
    if (value < mask) {
      return value;
    }
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (value > maxInteger || factor > maxInteger) {
        throw this.#faults.malformed("an integer is too large");
      }
      if (byte < 0x80) {
        return value;
      }
    }
  }

  /**
   * A string whose length has a prefix of `prefixBits` bits, after the bit for Huffman coding.
   * @param maxBytes limit of its encoded size; a longer string is malformed
   */
  string(prefixBits: number, maxBytes = maxInteger): string {
    const coded = (this.peek & (1 << prefixBits)) !== 0;
    const length = this.integer(prefixBits);
    const from = this.#at;
    if (length > maxBytes) {
      throw this.#faults.malformed("a string is too long");
    }
    if (length > this.left) {
      throw this.#faults.short();
    }
    this.#at += length;
    if (!coded) {
      return this.#bytes.toString("latin1", from, this.#at);
    }
    try {
      return decodeHuffman(this.#bytes, from, this.#at);
    } catch {
      throw this.#faults.malformed("a Huffman code is wrong");
    }
  }

  #byte(): number {
    const byte = this.peek;
    this.#at++;
    return byte;
  }
}
