import type { HeaderField } from "./header-field.ts";
import { HpackError } from "./hpack-error.ts";
import { decodeHuffman } from "./huffman.ts";
import { staticTable } from "./static-table.ts";

/** Size of the dynamic table that a peer may use by default, in bytes. */
export const defaultTableBytes = 4_096;

/** Bytes that HPACK adds to the name and value of each entry. Source: RFC 7541, section 4.1 */
const entryOverheadBytes = 32;

const staticFields: readonly HeaderField[] = staticTable.map(([name, value]) => ({ name, value }));

/**
 * Decodes the header blocks of one connection in order, because each block may change the dynamic table. After an error
 * the content of the table is unknown, so the connection must end. Source: RFC 7541
 */
export class HpackDecoder {
  readonly #maxTableBytes: number;
  readonly #maxListBytes: number;
  /** Entries of the dynamic table, the newest last. */
  #table: HeaderField[] = [];
  #tableBytes = 0;
  #tableLimit: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #end = 0;

  /**
   * @param limits.maxListBytes size limit of the fields in one block; as in RFC 9113, each field counts 32 bytes extra
   * @param limits.maxTableBytes size that was announced to the peer; 4,096 by default
   */
  constructor(limits: { readonly maxListBytes: number; readonly maxTableBytes?: number }) {
    this.#maxListBytes = limits.maxListBytes;
    this.#maxTableBytes = limits.maxTableBytes ?? defaultTableBytes;
    this.#tableLimit = this.#maxTableBytes;
  }

  /**
   * @throws HpackError HPACK_TRUNCATED, HPACK_MALFORMED; HPACK_TOO_LARGE above `maxListBytes`. A block above the limit
   * was still decoded to its end, so the connection may continue
   */
  decode(block: Uint8Array): HeaderField[] {
    this.#bytes = block;
    this.#at = 0;
    this.#end = block.length;
    const fields: HeaderField[] = [];
    let listBytes = 0;
    let mayResize = true;
    while (this.#at < this.#end) {
      const first = block[this.#at] as number;
      if ((first & 0xe0) === 0x20) {
        if (!mayResize) {
          throw malformed("a change of the table's size stands behind a field");
        }
        this.#resize(this.#integer(5));
        continue;
      }
      mayResize = false;
      const field = this.#field(first);
      listBytes += field.name.length + field.value.length + entryOverheadBytes;
      if (listBytes <= this.#maxListBytes) {
        fields.push(field);
      }
    }
    if (listBytes > this.#maxListBytes) {
      throw new HpackError(
        "HPACK_TOO_LARGE",
        `headers of ${listBytes} bytes are over the limit of ${this.#maxListBytes}`,
      );
    }
    return fields;
  }

  #field(first: number): HeaderField {
    if (first >= 0x80) {
      return this.#known(this.#integer(7));
    }
    const isKept = first >= 0x40;
    const index = this.#integer(isKept ? 6 : 4);
    const name = index === 0 ? this.#string() : this.#known(index).name;
    const field = { name, value: this.#string() };
    if (isKept) {
      this.#keep(field);
    }
    return field;
  }

  #known(index: number): HeaderField {
    const field =
      index <= staticFields.length
        ? staticFields[index - 1]
        : this.#table[this.#table.length - (index - staticFields.length)];
    if (field === undefined) {
      throw malformed(`index ${index} is in no table`);
    }
    return field;
  }

  #keep(field: HeaderField): void {
    const bytes = sizeOf(field);
    this.#evict(this.#tableLimit - bytes);
    if (bytes > this.#tableLimit) {
      return;
    }
    this.#table.push(field);
    this.#tableBytes += bytes;
  }

  #resize(limit: number): void {
    if (limit > this.#maxTableBytes) {
      throw malformed(`table of ${limit} bytes is over the limit of ${this.#maxTableBytes}`);
    }
    this.#tableLimit = limit;
    this.#evict(limit);
  }

  /** Drops the oldest entries until at most `bytes` are left. */
  #evict(bytes: number): void {
    let dropped = 0;
    while (this.#tableBytes > bytes && dropped < this.#table.length) {
      this.#tableBytes -= sizeOf(this.#table[dropped++] as HeaderField);
    }
    if (dropped > 0) {
      this.#table = this.#table.slice(dropped);
    }
  }

  /** Source: RFC 7541, section 5.1 */
  #integer(prefixBits: number): number {
    const prefix = 2 ** prefixBits - 1;
    const first = this.#byte() & prefix;
    if (first < prefix) {
      return first;
    }
    let value = prefix;
    for (let factor = 1; factor <= 0x20_0000; factor *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        return value;
      }
    }
    throw malformed("an integer has over five bytes");
  }

  #string(): string {
    const isHuffman = ((this.#bytes[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const start = this.#at;
    const end = start + length;
    if (end > this.#end) {
      throw truncated();
    }
    this.#at = end;
    if (isHuffman) {
      return decodeHuffman(this.#bytes, start, end);
    }
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + start, length).toString("latin1");
  }

  #byte(): number {
    if (this.#at >= this.#end) {
      throw truncated();
    }
    return this.#bytes[this.#at++] as number;
  }
}

function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + entryOverheadBytes;
}

function malformed(what: string): HpackError {
  return new HpackError("HPACK_MALFORMED", `header block: ${what}`);
}

function truncated(): HpackError {
  return new HpackError("HPACK_TRUNCATED", "header block ends inside a field");
}
