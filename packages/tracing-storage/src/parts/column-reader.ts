import type { Granule } from "./granule.ts";
import { type Stream, StreamCursor } from "./stream.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Reads values of one column in some rows of a granule. */
export interface ColumnReader {
  /**
   * @param rows numbers of rows in ascending order
   * @returns each value in the format RowBinary
   */
  values(granule: Granule, rows: readonly number[]): Buffer[];
  /** All values of the granule in one buffer. Present when values have a fixed size. */
  all?(granule: Granule): Buffer;
}

/** The form of a column in a part. */
export interface ColumnForm {
  readonly name: string;
  /** The column's type in SQL. */
  readonly type: string;
  /** True: the part does not store default values. */
  readonly isSparse: boolean;
  readonly streams: readonly string[];
}

const noText = Buffer.from([0]);
/** Bit in a sparse column's last number, which counts the default values after the last stored value. */
const endOfGranule = 1n << 62n;
/**
 * Flags of the indexes of a dictionary. Source: ClickHouse
 * src/DataTypes/Serializations/SerializationLowCardinality.cpp
 */
const needsShared = 0x100;
const hasOwnKeys = 0x200;
const updatesShared = 0x400;
const indexWidths = [1, 2, 4, 8] as const;
/** The only version: shared dictionaries, with additional keys for a block. */
const dictionaryVersion = 1;
const maxKeys = 1_000_000;
/** Estimated memory of a dictionary's text in addition to its bytes. */
const keyBytes = 96;

/** @returns undefined for unsupported types and forms */
export function columnReader({ name, type, isSparse, streams }: ColumnForm): ColumnReader | undefined {
  const has = (...wanted: string[]) =>
    streams.length === wanted.length && wanted.every((stream, index) => streams[index] === stream);
  const width = fixedWidth(type);
  const sparse = `${name}.sparse.idx`;
  if (width !== undefined) {
    const fixed = fixedReader(name, width);
    if (!isSparse) {
      return has(name) ? fixed : undefined;
    }
    return has(sparse, name) ? sparseReader(sparse, fixed, Buffer.alloc(width)) : undefined;
  }
  if (type === "String") {
    const text = textReader(`${name}.size`, name);
    if (!isSparse) {
      return has(`${name}.size`, name) ? text : undefined;
    }
    return has(sparse, `${name}.size`, name) ? sparseReader(sparse, text, noText) : undefined;
  }
  if (type === "LowCardinality(String)" && !isSparse) {
    const [prefix, keys] = [`${name}.dict_prefix`, `${name}.dict`];
    if (has(prefix, keys, name)) {
      return dictionaryReader(name, keys, prefix);
    }
    return has(keys, name) ? dictionaryReader(name, keys, undefined) : undefined;
  }
  return undefined;
}

/** Size in bytes of each value of a type; undefined if the sizes differ. */
export function fixedWidth(type: string): number | undefined {
  const fixed = /^FixedString\((\d+)\)$/.exec(type)?.[1];
  if (fixed !== undefined) {
    return Number(fixed);
  }
  const [base = ""] = type.split("(");
  return { Enum8: 1, Date: 2, UInt32: 4, DateTime: 4, UInt64: 8, Int64: 8, DateTime64: 8 }[base];
}

function fixedReader(stream: string, width: number): ColumnReader {
  return {
    values(granule, rows) {
      const bytes = granule.stream(stream);
      return rows.map((row) => bytes.bytes(row * width, width));
    },
    all: (granule) => granule.stream(stream).bytes(0, granule.rows * width),
  };
}

/** Reads texts without separators, whose lengths are in a separate stream. */
function textReader(sizes: string, stream: string): ColumnReader {
  return {
    values(granule, rows) {
      const last = rows.at(-1);
      if (last === undefined) {
        return [];
      }
      const lengths = granule.stream(sizes).bytes(0, (last + 1) * 8);
      const texts = granule.stream(stream);
      let row = 0;
      let at = 0;
      return rows.map((wanted) => {
        for (; row < wanted; row++) {
          at += lengths.readUInt32LE(row * 8);
        }
        if (lengths.readUInt32LE(wanted * 8 + 4) !== 0) {
          throw new UnreadablePart("a text of over 4 GiB");
        }
        return textValue(texts.bytes(at, lengths.readUInt32LE(wanted * 8)));
      });
    },
  };
}

/** Reads a sparse column: before each stored value, the stream has the number of default values that precede it. */
function sparseReader(stream: string, values: ColumnReader, none: Buffer): ColumnReader {
  return {
    values(granule, rows) {
      const isThere = placesOfValues(new StreamCursor(granule.stream(stream)), rows);
      const present = rows.flatMap((row) => isThere.get(row) ?? []);
      const read = values.values(granule, present);
      let next = 0;
      return rows.map((row) => (isThere.has(row) ? (read[next++] as Buffer) : none));
    },
  };
}

/** For rows with a value, in ascending order: index of the value. */
function placesOfValues(gaps: StreamCursor, rows: readonly number[]): Map<number, number> {
  const wanted = new Set(rows);
  const last = rows.at(-1) ?? -1;
  const places = new Map<number, number>();
  let row = 0;
  for (let value = 0; row <= last; value++) {
    const gap = gaps.varUint();
    if ((gap & endOfGranule) !== 0n) {
      break;
    }
    row += Number(gap);
    if (wanted.has(row)) {
      places.set(row, value);
    }
    row++;
  }
  return places;
}

/**
 * Reads a dictionary column. Each row has an index of a text, which is shared by granules or belongs to this granule.
 * @param prefix stream with the version of the format; only for files that store the version in each granule
 */
function dictionaryReader(stream: string, dictionary: string, prefix: string | undefined): ColumnReader {
  return {
    values(granule, rows) {
      const version = prefix === undefined ? undefined : new StreamCursor(granule.stream(prefix)).uint64();
      if (version !== undefined && version !== dictionaryVersion) {
        throw new UnreadablePart(`a dictionary of version ${version}`);
      }
      const cursor = new StreamCursor(granule.stream(stream));
      const last = rows.at(-1) ?? -1;
      const values: Buffer[] = [];
      // The indexes are read in the pieces in which they were written.
      for (let first = 0; first <= last; ) {
        const flags = cursor.uint64();
        const width = indexWidths[flags & 0xff];
        const changes = first > 0 && (flags & needsShared) !== 0 && (flags & updatesShared) !== 0;
        if (width === undefined || changes) {
          throw new UnreadablePart(`a dictionary with flags ${flags}`);
        }
        const shared = (flags & needsShared) === 0 ? [] : granule.shared(dictionary, keysOf);
        const own = (flags & hasOwnKeys) === 0 ? [] : readKeys(cursor);
        const behind = first + cursor.uint64();
        if (behind === first) {
          throw new UnreadablePart("a dictionary is of no rows");
        }
        const indexes = cursor.bytes((behind - first) * width);
        for (let row = rows[values.length]; row !== undefined && row < behind; row = rows[values.length]) {
          const index = indexAt(indexes, row - first, width);
          const key = index < shared.length ? shared[index] : own[index - shared.length];
          if (key === undefined) {
            throw new UnreadablePart("a row's text is not in its dictionary");
          }
          values.push(key);
        }
        first = behind;
      }
      return values;
    },
  };
}

function keysOf(stream: Stream): { readonly value: readonly Buffer[]; readonly bytes: number } {
  const value = readKeys(new StreamCursor(stream));
  return { value, bytes: value.reduce((sum, { length }) => sum + length + keyBytes, 0) };
}

function readKeys(cursor: StreamCursor): Buffer[] {
  const count = cursor.uint64();
  if (count > maxKeys) {
    throw new UnreadablePart(`a dictionary of ${count} texts`);
  }
  return Array.from({ length: count }, () => textValue(cursor.text()));
}

function indexAt(indexes: Buffer, row: number, width: 1 | 2 | 4 | 8): number {
  if (width === 8) {
    return Number(indexes.readBigUInt64LE(row * 8));
  }
  return indexes.readUIntLE(row * width, width);
}

/** A text in the format RowBinary: its length, then its bytes. */
export function textValue(text: Buffer): Buffer {
  const length: number[] = [];
  let left = text.length;
  for (; left >= 0x80; left = Math.floor(left / 128)) {
    length.push((left & 0x7f) | 0x80);
  }
  length.push(left);
  return Buffer.concat([Buffer.from(length), text]);
}
