import { staticTable } from "./qpack-static-table.ts";

/** First entry of the static table for a name. */
const staticNames = new Map<string, number>();
/** Entry of the static table for a name and value. */
const staticFields = new Map<string, number>();
for (const [index, [name, value]] of staticTable.entries()) {
  if (!staticNames.has(name)) {
    staticNames.set(name, index);
  }
  staticFields.set(`${name}: ${value}`, index);
}

/** Fields whose values must not be stored in any table, neither here nor in a proxy. Source: RFC 9204, section 7.1.3 */
const secret: ReadonlySet<string> = new Set(["set-cookie", "authorization", "proxy-authorization"]);

/** Writes field sections without the dynamic table and without Huffman coding, which costs more time than it saves. */
export class FieldSectionWriter {
  #bytes: Buffer = Buffer.allocUnsafe(512);
  #at = 2;

  constructor() {
    // Required Insert Count and base.
    this.#bytes.fill(0, 0, 2);
  }

  /** Adds a field. @param name in lower case @param value one character per byte (Latin-1) */
  add(name: string, value: string): this {
    const whole = staticFields.get(`${name}: ${value}`);
    if (whole !== undefined) {
      return this.#integer(0xc0, 6, whole);
    }
    const never = secret.has(name);
    const index = staticNames.get(name);
    if (index !== undefined) {
      this.#integer(never ? 0x70 : 0x50, 4, index);
    } else {
      this.#integer(never ? 0x30 : 0x20, 3, name.length).#text(name);
    }
    return this.#integer(0x00, 7, value.length).#text(value);
  }

  /** The section, as a view that the next `add` may change. */
  get written(): Buffer {
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
