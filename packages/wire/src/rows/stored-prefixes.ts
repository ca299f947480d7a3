import {
  type PrefixBytes,
  readStoredPrefix,
  type StoredPrefix,
  type StoredRowReader,
  skipStoredPrefix,
} from "./read-stored-rows.ts";

/** Of prefixes that are known; more begin anew. */
const maxBytes = 2 * 1024 * 1024;

/**
 * The prefixes of stored rows that were read: who reads answer after answer finds the same resources and scopes in them, and has the
 * same objects for them. What is known of these otherwise may be kept by them, in a `WeakMap`.
 */
export class StoredPrefixes {
  /** By their bytes, one character each. */
  #known = new Map<string, StoredPrefix>();
  #bytes = 0;

  /** Reads the columns of a row before `trace_id`. */
  read(reader: StoredRowReader): PrefixBytes {
    const start = reader.position;
    skipStoredPrefix(reader);
    const end = reader.position;
    const key = reader.bytes.toString("latin1", start, end);
    let prefix = this.#known.get(key);
    if (prefix === undefined) {
      reader.position = start;
      ({ prefix } = readStoredPrefix(reader));
      this.#keep(key, prefix);
    }
    return { start, end, prefix };
  }

  #keep(key: string, prefix: StoredPrefix): void {
    this.#bytes += key.length;
    if (this.#bytes > maxBytes) {
      this.#known = new Map();
      this.#bytes = key.length;
    }
    this.#known.set(key, prefix);
  }
}
