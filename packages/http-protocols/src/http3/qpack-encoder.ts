import type { ResponseFieldTable } from "./qpack-response-table.ts";
import { staticNames, staticTable } from "./qpack-static-table.ts";

/** Entry of the static table for a name and value. */
const staticFields = new Map(staticTable.map(([name, value], index) => [`${name}: ${value}`, index]));

/** Fields whose values must not be stored in any table, neither here nor in a proxy. Source: RFC 9204, section 7.1.3 */
const secret: ReadonlySet<string> = new Set(["set-cookie", "authorization", "proxy-authorization"]);

/** Writes a field section, without Huffman coding, which costs more time than it saves. */
export class FieldSectionWriter {
  readonly #table: ResponseFieldTable | undefined;
  /** Number of entries of the dynamic table that the section may name. */
  readonly #base: number;
  /** Number of entries that the client needs for the section; 0 when it names none. */
  requiredInserts = 0;
  #bytes: Buffer = Buffer.allocUnsafe(512);
  #at = 2;

  /** @param table dynamic table of the client. Default: none */
  constructor(table?: ResponseFieldTable) {
    this.#table = table;
    this.#base = table?.base ?? 0;
    this.#bytes.fill(0, 0, 2);
  }

  /** Adds a field. @param name in lower case @param value one character per byte (Latin-1) */
  add(name: string, value: string): this {
    const field = `${name}: ${value}`;
    const whole = staticFields.get(field);
    if (whole !== undefined) {
      return this.#integer(0xc0, 6, whole);
    }
    const never = secret.has(name);
    const number = never ? undefined : this.#table?.find(field, name, this.#base);
    if (number !== undefined) {
      this.requiredInserts = Math.max(this.requiredInserts, number + 1);
      return this.#integer(0x80, 6, this.#base - 1 - number);
    }
    const index = staticNames.get(name);
    if (index !== undefined) {
      this.#integer(never ? 0x70 : 0x50, 4, index);
    } else {
      this.#integer(never ? 0x30 : 0x20, 3, name.length).#text(name);
    }
    return this.#integer(0x00, 7, value.length).#text(value);
  }

  /**
   * The section, as a view that the next `add` may change. Required Insert Count and base have one byte each, which is
   * enough for all entries of the table. Source: RFC 9204, section 4.5.1
   */
  get written(): Buffer {
    if (this.requiredInserts > 0) {
      this.#bytes[0] = this.requiredInserts + 1;
      this.#bytes[1] = this.#base - this.requiredInserts;
    }
    return this.#bytes.subarray(0, this.#at);
  }

  #integer(pattern: number, prefixBits: number, value: number): this {
    this.#grow(8);
    const mask = 2 ** prefixBits - 1;
    if (value < mask) {
      this.#bytes[this.#at++] = pattern | value;
      return this;
    }
    this.#bytes[this.#at++] = pattern | mask;
    let rest = value - mask;
    for (; rest >= 128; rest = Math.floor(rest / 128)) {
      this.#bytes[this.#at++] = (rest % 128) | 0x80;
    }
    this.#bytes[this.#at++] = rest;
    return this;
  }

  #text(text: string): this {
    this.#grow(text.length);
    this.#at += this.#bytes.write(text, this.#at, "latin1");
    return this;
  }

  #grow(length: number): void {
    if (this.#at + length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + length));
      this.#bytes.copy(grown, 0, 0, this.#at);
      this.#bytes = grown;
    }
  }
}
