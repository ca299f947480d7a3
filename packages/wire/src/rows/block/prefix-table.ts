import type { ByteWriter } from "../byte-writer.ts";
import { textMark } from "../scope-text.ts";
import type { SpanColumn } from "../span-columns.ts";
import { type DictionaryColumn, isDictionary } from "./block-columns.ts";
import { columnBytes, copyString, copyStringBytes } from "./native-column.ts";
import { RowBytes } from "./row-bytes.ts";

/** Columns of a prefix, in the order of a row. */
const layout = [
  "tenant",
  "format",
  "service",
  "resource_text",
  "resource_dropped_attributes",
  "resource_schema_url",
  "scope_name",
  "scope_version",
  "scope_attributes",
  "scope_dropped_attributes",
  "scope_schema_url",
] as const satisfies readonly SpanColumn[];

/** Columns of a prefix that together are `scope_text`, in its order. */
const scopeTexts = ["scope_name", "scope_version", "scope_schema_url", "resource_schema_url"] as const;

type ScopeText = (typeof scopeTexts)[number];

/** Initial number of slots in the hash table, a power of two, because a mask selects the slot. */
const minSlots = 1024;
/**
 * Maximum number of slots that are tested for one prefix. If all tested slots are taken, by chance or because of an
 * attack, the prefix is stored a second time.
 */
const maxProbes = 32;

/**
 * The different prefixes of rows; a prefix is the columns that all spans of a resource and scope have in common, as
 * bytes. A block usually has about a hundred different prefixes; in the worst case each row has its own.
 */
export class PrefixTable {
  /** The bytes of all prefixes, one after the other. `numberOf` compares a new prefix with these copies. */
  readonly #copies = columnBytes();
  readonly #compared = new ComparedBytes();
  readonly #texts = {
    tenant: columnBytes(),
    service: columnBytes(),
    resource_text: columnBytes(),
    scope_text: columnBytes(),
  } satisfies Record<DictionaryColumn, ByteWriter>;
  /** For the prefix that is being added: position of each text, including its length. */
  readonly #scopeTextsAt: Record<ScopeText, number> = {
    scope_name: 0,
    scope_version: 0,
    scope_schema_url: 0,
    resource_schema_url: 0,
  };
  // Format of each prefix, with the prefix's number as the index. The next lists contain other fields of prefixes.
  readonly #formats: number[] = [];
  readonly #resourceDropped: number[] = [];
  readonly #scopeDropped: number[] = [];
  /** Start of each prefix in `#copies`, and at the end the start of the next prefix. */
  readonly #starts: number[] = [0];
  readonly #hashes: number[] = [];
  /** Position of the scope's attributes in `#copies`. */
  readonly #scopeAttributesAt: number[] = [];
  readonly #isPlain: boolean[] = [];
  /** Hash table with open addressing; a slot has the number of a prefix plus one, or 0 if it is free. */
  #slots = new Int32Array(minSlots);

  get size(): number {
    return this.#hashes.length;
  }

  clear(): void {
    this.#copies.clear();
    for (const texts of Object.values(this.#texts)) {
      texts.clear();
    }
    for (const list of [this.#formats, this.#resourceDropped, this.#scopeDropped]) {
      list.length = 0;
    }
    this.#starts.length = 1;
    this.#hashes.length = 0;
    this.#scopeAttributesAt.length = 0;
    this.#isPlain.length = 0;
    if (this.#slots.length > minSlots) {
      this.#slots = new Int32Array(minSlots);
    } else {
      this.#slots.fill(0);
    }
  }

  /** The number of the prefix at `view[start, end)`, which `RowScanner` has checked. */
  numberOf(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    const hash = hashOf(bytes, view, start, end);
    const mask = this.#slots.length - 1;
    for (let probe = 0; probe < maxProbes; probe++) {
      const slot = (hash + probe) & mask;
      const number = (this.#slots[slot] as number) - 1;
      if (number === -1) {
        this.#slots[slot] = this.size + 1;
        break;
      }
      if (this.#hashes[number] === hash && this.#is(number, view, start, end)) {
        return number;
      }
    }
    const number = this.#add(bytes, start, end, hash);
    if (this.size * 2 > this.#slots.length) {
      this.#grow();
    }
    return number;
  }

  /** The texts of a column, one for each prefix. */
  texts(name: DictionaryColumn): Uint8Array {
    return this.#texts[name].bytes;
  }

  /**
   * True when everything except the texts is empty: format 0, no attributes of the scope, and no dropped attributes.
   */
  isPlain(number: number): boolean {
    return this.#isPlain[number] as boolean;
  }

  formatOf(number: number): number {
    return this.#formats[number] as number;
  }

  resourceDroppedOf(number: number): number {
    return this.#resourceDropped[number] as number;
  }

  scopeDroppedOf(number: number): number {
    return this.#scopeDropped[number] as number;
  }

  /** @returns undefined when the scope has no attributes */
  scopeAttributesOf(number: number): RowBytes | undefined {
    const at = this.#scopeAttributesAt[number] as number;
    if (this.#copies.buffer[at] === 0) {
      return undefined;
    }
    const from = new RowBytes(this.#copies.bytes);
    from.position = at;
    return from;
  }

  /** True when all bytes are equal; equal hashes are not enough. */
  #is(number: number, view: DataView, start: number, end: number): boolean {
    const copy = this.#starts[number] as number;
    this.#compared.one = this.#copies.view;
    this.#compared.other = view;
    return (
      (this.#starts[number + 1] as number) - copy === end - start &&
      this.#compared.areSame(copy, start, end - start)
    );
  }

  /**
   * Copies a prefix, and stores the positions of its columns in the order of `layout`. @returns number of the prefix
   */
  #add(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const copies = this.#copies;
    const copy = copies.length;
    copies.copy(bytes, start, end);
    this.#starts.push(copies.length);
    const from = new RowBytes(bytes);
    from.position = start;
    for (const name of layout) {
      if (isDictionary(name)) {
        copyString(from, this.#texts[name]);
      } else if (isScopeText(name)) {
        this.#scopeTextsAt[name] = from.string();
      } else if (name === "format") {
        this.#formats.push(bytes[from.position++] as number);
      } else if (name === "scope_attributes") {
        this.#scopeAttributesAt.push(copy + from.position - start);
        skipAttributes(from);
      } else {
        const dropped = name === "resource_dropped_attributes" ? this.#resourceDropped : this.#scopeDropped;
        dropped.push(from.view.getUint32(from.position, true));
        from.position += 4;
      }
    }
    this.#addScopeText(from);
    const number = this.#hashes.push(hash) - 1;
    this.#isPlain.push(
      this.formatOf(number) === 0 &&
        this.resourceDroppedOf(number) === 0 &&
        this.scopeDroppedOf(number) === 0 &&
        copies.buffer[this.#scopeAttributesAt[number] as number] === 0,
    );
    return number;
  }

  /**
   * Joins the four texts of a prefix with `textMark` between them. @param from reader of the row; `#scopeTextsAt` must
   * be set before
   */
  #addScopeText(from: RowBytes): void {
    const out = this.#texts.scope_text;
    const at = out.beginString();
    for (const [index, name] of scopeTexts.entries()) {
      if (index > 0) {
        out.uint8(textMark);
      }
      from.position = this.#scopeTextsAt[name];
      copyStringBytes(from, out);
    }
    out.endString(at);
  }

  /**
   * Makes the table four times as large. A prefix that finds no free slot within `maxProbes` is stored again when it
   * occurs the next time.
   */
  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (const [number, hash] of this.#hashes.entries()) {
      for (let probe = 0; probe < maxProbes; probe++) {
        const slot = (hash + probe) & mask;
        if (slots[slot] !== 0) {
          continue;
        }
        slots[slot] = number + 1;
        break;
      }
    }
    this.#slots = slots;
  }
}

function isScopeText(name: SpanColumn): name is ScopeText {
  return (scopeTexts as readonly SpanColumn[]).includes(name);
}

const noBytes = new DataView(new ArrayBuffer(0));

/**
 * Compares parts of two buffers, which may be the same buffer. One object is reused for all comparisons of its owner.
 */
export class ComparedBytes {
  one: DataView = noBytes;
  other: DataView = noBytes;

  /**
   * True when `count` bytes (at least 4) from `oneStart` in the first buffer equal those from `otherStart` in the
   * second.
   */
  areSame(oneStart: number, otherStart: number, count: number): boolean {
    const { one, other } = this;
    const last = count - 4;
    const shift = otherStart - oneStart;
    let index = oneStart + last;
    // Starts at the end, because prefixes differ most in the scope. Each iteration compares four words: for rows
    // without marks, this loop is half of a block's cost.
    for (; index >= oneStart + 16; index -= 16) {
      const different =
        (one.getInt32(index) ^ other.getInt32(index + shift)) |
        (one.getInt32(index - 4) ^ other.getInt32(index - 4 + shift)) |
        (one.getInt32(index - 8) ^ other.getInt32(index - 8 + shift)) |
        (one.getInt32(index - 12) ^ other.getInt32(index - 12 + shift));
      if (different !== 0) {
        return false;
      }
    }
    for (; index > oneStart; index -= 4) {
      if (one.getInt32(index) !== other.getInt32(index + shift)) {
        return false;
      }
    }
    return one.getInt32(oneStart) === other.getInt32(otherStart);
  }
}

function skipAttributes(from: RowBytes): void {
  for (let left = from.length(); left > 0; left--) {
    from.string();
    from.position++;
    from.string();
  }
}

/** Hash of the number of bytes and of all bytes, four at a time. */
function hashOf(bytes: Uint8Array, view: DataView, start: number, end: number): number {
  let hash = end - start;
  let index = start;
  for (; index + 4 <= end; index += 4) {
    hash = mix(hash, view.getInt32(index, true));
  }
  for (; index < end; index++) {
    hash = mix(hash, bytes[index] as number);
  }
  return hash ^ (hash >>> 15);
}

/** One step of the hash. The factor is 2^32 divided by the golden ratio, which spreads neighbouring values. */
function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x9e3779b1) ^ (hash >>> 13);
}
