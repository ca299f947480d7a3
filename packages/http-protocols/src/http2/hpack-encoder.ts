import { staticTable } from "./static-table.ts";

/** Size limit of the dynamic table in bytes. Every peer allows this size unless it announces less. */
const maxTableBytes = 4_096;
/** Bytes that HPACK adds to the name and value of each entry. Source: RFC 7541, section 4.1 */
const entryOverheadBytes = 32;
/**
 * Maximum number of fields that were sent once and are remembered. At its second occurrence, a field enters the table.
 */
const maxSeen = 128;
/** Size limit of a field in the table. Longer fields would displace many others. */
const maxEntryBytes = 512;

/** For each name, the index of its first entry in the static table. */
const staticNames = new Map<string, number>();
/** Index of a complete field in the static table, by `name: value`. */
const staticFields = new Map<string, number>();
for (const [index, [name, value]] of staticTable.entries()) {
  if (!staticNames.has(name)) {
    staticNames.set(name, index + 1);
  }
  if (value !== "") {
    staticFields.set(`${name}: ${value}`, index + 1);
  }
}

/**
 * Encodes the header blocks of one connection in order. A field enters the dynamic table when it occurs a second time.
 * From then on, the field takes one or two bytes. Fields that always differ never enter the table. Strings are not
 * Huffman coded, because that costs more time than the saved bytes are worth. Source: RFC 7541
 */
export class HpackEncoder {
  /** Numbers of entries by `name: value`, the oldest first. */
  readonly #table = new Map<string, number>();
  #tableBytes = 0;
  #tableLimit = maxTableBytes;
  /** Number of entries that were ever inserted. */
  #inserted = 0;
  /**
   * Smallest table size since the last block, which the next block must announce first; undefined if the size did not
   * change.
   */
  #smallestLimit: number | undefined;
  readonly #seen = new Set<string>();
  #bytes = Buffer.allocUnsafeSlow(512);
  #at = 0;

  /** Sets the table size that the peer allows (SETTINGS_HEADER_TABLE_SIZE). */
  setTableLimit(bytes: number): void {
    const limit = Math.min(bytes, maxTableBytes);
    if (limit !== this.#tableLimit) {
      this.#tableLimit = limit;
      this.#smallestLimit = Math.min(this.#smallestLimit ?? limit, limit);
      this.#evict(limit);
    }
  }

  /** Begins a block. */
  begin(): void {
    this.#at = 0;
    const smallest = this.#smallestLimit;
    if (smallest !== undefined) {
      this.#smallestLimit = undefined;
      this.#integer(0x20, 5, smallest);
      if (smallest < this.#tableLimit) {
        this.#integer(0x20, 5, this.#tableLimit);
      }
    }
  }

  /**
   * @param name in lower case
   * @param value characters up to U+00FF
   * @param isSecret the field must not enter a table, here or in any proxy
   */
  add(name: string, value: string, isSecret = false): void {
    const field = `${name}: ${value}`;
    const known = staticFields.get(field);
    if (known !== undefined) {
      this.#integer(0x80, 7, known);
      return;
    }
    if (isSecret) {
      this.#literal(0x10, 4, name, value);
      return;
    }
    const entry = this.#table.get(field);
    if (entry !== undefined) {
      this.#integer(0x80, 7, staticTable.length + this.#inserted - entry);
    } else if (this.#seen.delete(field)) {
      this.#literal(0x40, 6, name, value);
      this.#insert(field);
    } else {
      this.#literal(0, 4, name, value);
      if (field.length <= maxEntryBytes) {
        if (this.#seen.size >= maxSeen) {
          this.#seen.clear();
        }
        this.#seen.add(field);
      }
    }
  }

  /** @returns the block, which is valid until the next block starts */
  end(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #insert(field: string): void {
    const bytes = sizeOf(field);
    this.#evict(this.#tableLimit - bytes);
    if (bytes <= this.#tableLimit) {
      this.#table.set(field, this.#inserted++);
      this.#tableBytes += bytes;
    }
  }

  /** Drops the oldest entries until at most `bytes` are left. */
  #evict(bytes: number): void {
    for (const field of this.#table.keys()) {
      if (this.#tableBytes <= bytes) {
        return;
      }
      this.#table.delete(field);
      this.#tableBytes -= sizeOf(field);
    }
  }

  #literal(pattern: number, prefixBits: number, name: string, value: string): void {
    const index = staticNames.get(name);
    if (index === undefined) {
      this.#integer(pattern, prefixBits, 0);
      this.#string(name);
    } else {
      this.#integer(pattern, prefixBits, index);
    }
    this.#string(value);
  }

  #string(text: string): void {
    this.#integer(0, 7, text.length);
    this.#reserve(text.length);
    this.#at += this.#bytes.write(text, this.#at, "latin1");
  }

  /** Source: RFC 7541, section 5.1 */
  #integer(pattern: number, prefixBits: number, value: number): void {
    this.#reserve(6);
    const prefix = 2 ** prefixBits - 1;
    if (value < prefix) {
      this.#bytes[this.#at++] = pattern | value;
      return;
    }
    this.#bytes[this.#at++] = pattern | prefix;
    let rest = value - prefix;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
      this.#bytes[this.#at++] = (rest % 0x80) | 0x80;
    }
    this.#bytes[this.#at++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + bytes));
      this.#bytes.copy(larger, 0, 0, this.#at);
      this.#bytes = larger;
    }
  }
}

/** @param field `name: value` */
function sizeOf(field: string): number {
  return field.length - 2 + entryOverheadBytes;
}
