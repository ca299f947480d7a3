import type { HeaderField } from "../http2/header-field.ts";
import { decodeHuffman } from "../http2/huffman.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";
import { staticTable } from "./qpack-static-table.ts";

/** Size of a field besides its name and value. Source: RFC 9114, section 4.2.2 */
const fieldOverheadBytes = 32;
/** An index, a length or a prefix needs fewer bits. */
const maxInteger = 2 ** 31;

const malformed = (message: string) => new Http3Error(http3Errors.qpackDecompressionFailed, message);

const staticFields: readonly HeaderField[] = staticTable.map(([name, value]) => ({ name, value }));

/** Reads the parts of field sections. */
class SectionReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  get peek(): number {
    return this.#bytes[this.#at] as number;
  }

  /** An integer in the low bits of the next byte, and those behind it. Source: RFC 7541, section 5.1 */
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
        throw malformed("an integer is too large");
      }
      if (byte < 0x80) {
        return value;
      }
    }
  }

  /** A string whose length has a prefix of so many bits, with the bit of Huffman coding before it. */
  string(prefixBits: number): string {
    const coded = (this.peek & (1 << prefixBits)) !== 0;
    const length = this.integer(prefixBits);
    const from = this.#at;
    if (length > this.left) {
      throw malformed("a string ends too early");
    }
    this.#at += length;
    if (!coded) {
      return this.#bytes.toString("latin1", from, this.#at);
    }
    try {
      return decodeHuffman(this.#bytes, from, this.#at);
    } catch {
      throw malformed("a Huffman code is wrong");
    }
  }

  #byte(): number {
    if (this.left <= 0) {
      throw malformed("a field section ends too early");
    }
    return this.#bytes[this.#at++] as number;
  }
}

function staticField(index: number): HeaderField {
  const field = staticFields[index];
  if (field === undefined) {
    throw malformed(`no field has the number ${index}`);
  }
  return field;
}

/**
 * Reads a field section. There is no dynamic table: our SETTINGS allow none.
 * @param maxListBytes limit of names and values with 32 for each field
 * @returns undefined for a list that is larger
 * @throws Http3Error QPACK_DECOMPRESSION_FAILED
 * Source: RFC 9204, section 4.5
 */
export function decodeFieldSection(section: Buffer, maxListBytes: number): HeaderField[] | undefined {
  const reader = new SectionReader(section);
  if (reader.integer(8) !== 0) {
    throw malformed("a field section needs the dynamic table, which is not allowed");
  }
  reader.integer(7);
  const fields: HeaderField[] = [];
  let bytes = 0;
  while (reader.left > 0) {
    const field = readField(reader);
    bytes += field.name.length + field.value.length + fieldOverheadBytes;
    if (bytes > maxListBytes) {
      return undefined;
    }
    fields.push(field);
  }
  return fields;
}

function readField(reader: SectionReader): HeaderField {
  const first = reader.peek;
  if ((first & 0x80) !== 0) {
    if ((first & 0x40) === 0) {
      throw malformed("a field of the dynamic table, which is empty");
    }
    return staticField(reader.integer(6));
  }
  if ((first & 0x40) !== 0) {
    if ((first & 0x10) === 0) {
      throw malformed("a name of the dynamic table, which is empty");
    }
    const { name } = staticField(reader.integer(4));
    return { name, value: reader.string(7) };
  }
  if ((first & 0x20) !== 0) {
    const name = reader.string(3);
    return { name, value: reader.string(7) };
  }
  throw malformed("a field behind the base of the dynamic table, which is empty");
}
