import type { HeaderField } from "../http2/header-field.ts";

/** Bytes that QPACK adds to the name and value of each entry. Source: RFC 9204, section 3.2.1 */
const entryOverheadBytes = 32;

/**
 * Fields that one side of a connection inserted, numbered from 0 in the order of insertion. Source: RFC 9204, section
 * 3.2
 */
export class DynamicTable {
  /** Largest `capacity` in bytes; 0: the table stays empty. */
  readonly maxCapacity: number;
  /** Entries, the oldest first. */
  readonly #entries: HeaderField[] = [];
  #capacity = 0;
  #bytes = 0;
  #inserted = 0;

  constructor(maxCapacity: number) {
    this.maxCapacity = maxCapacity;
  }

  /** Number of entries that were ever inserted. */
  get insertCount(): number {
    return this.#inserted;
  }

  /** Number of entries that the largest table can hold. */
  get maxEntries(): number {
    return Math.floor(this.maxCapacity / entryOverheadBytes);
  }

  /** Sets the capacity, and drops the oldest entries above it. @returns false for more than `maxCapacity` */
  setCapacity(bytes: number): boolean {
    if (bytes > this.maxCapacity) {
      return false;
    }
    this.#capacity = bytes;
    this.#evictTo(bytes);
    return true;
  }

  /**
   * Inserts a field; the oldest fields are removed to make room. @returns false for a field that is larger than the
   * table
   */
  insert(field: HeaderField): boolean {
    const bytes = sizeOf(field);
    if (bytes > this.#capacity) {
      return false;
    }
    this.#evictTo(this.#capacity - bytes);
    this.#entries.push(field);
    this.#bytes += bytes;
    this.#inserted++;
    return true;
  }

  /** The field with this number. @returns undefined for an entry that was not inserted yet, or was dropped */
  field(number: number): HeaderField | undefined {
    return this.#entries[number - (this.#inserted - this.#entries.length)];
  }

  #evictTo(bytes: number): void {
    while (this.#bytes > bytes) {
      this.#bytes -= sizeOf(this.#entries.shift() as HeaderField);
    }
  }
}

const sizeOf = ({ name, value }: HeaderField) => name.length + value.length + entryOverheadBytes;
