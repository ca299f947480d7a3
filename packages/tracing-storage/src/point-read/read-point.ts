import { type BloomHashes, bloomHashes } from "../parts/bloom-index.ts";
import { textValue } from "../parts/column-reader.ts";
import type { Granule } from "../parts/granule.ts";
import type { Part, PartColumn } from "../parts/part.ts";
import type { PartName } from "../parts/part-name.ts";
import { UnreadablePart } from "../parts/unreadable-part.ts";
import { KeySet, rowsOfSorted } from "./key-set.ts";
import type { PointStatement } from "./point-statement.ts";
import type { TableFacts } from "./table-facts.ts";
import type { TableParts } from "./table-parts.ts";

/**
 * Maximum number of granules that may have rows. The column of keys is decompressed in each of them. In a minute with
 * three million spans, about 300 granules pass the filters for a search's twenty traces. The engine needs twice the
 * processor time for them.
 */
const maxGranules = 512;
/** Like `maxGranules`, but for the table of places, and for all keys together, because its granules are small. */
const maxIndexGranules = 2_048;
/**
 * Maximum number of rows in an answer; the next constant is the limit of bytes. The engine answers for larger traces.
 */
const maxRows = 8_192;
const maxBytes = 16 * 1024 * 1024;
/**
 * Maximum number of milliseconds of one read. If a read takes longer, because the disk is slow or the spans are large,
 * the engine answers.
 */
const maxMs = 500;

/** A table whose parts are read. */
export interface OpenTable {
  /** Columns, keys and filters, from the engine's system tables. */
  readonly facts: TableFacts;
  /** The parts in the table's folder. */
  readonly parts: TableParts;
}

/** The tables that a statement names. */
export interface PointTables {
  /** Table with the rows of the answer. */
  readonly rows: OpenTable;
  /** Table with the minutes in which a key has rows. */
  readonly places: OpenTable;
}

export interface PointAnswer {
  /** The rows in RowBinary. */
  readonly bytes: Buffer;
  readonly rows: number;
}

/** Possible places of rows: partitions, each with minutes. */
type Places = Map<string, Set<number>>;

/**
 * The answer to a statement from the files of parts.
 * @param value value of the statement's parameter
 * @throws UnreadablePart, and errors of files, when the engine must answer
 */
export function readPoint(tables: PointTables, statement: PointStatement, value: string): PointAnswer {
  const { rows, places: there } = tables;
  const keys = statement.keys.map((hex) => Buffer.from(hex, "hex"));
  const hashes = keys.map(bloomHashes);
  const untilMs = performance.now() + maxMs;
  const places = placesOf(there.parts, statement, keys, untilMs);
  const filter = rows.facts.filters.get(statement.key);
  const likely = rows.parts
    .local(places)
    .map((name) => likelyGranules(rows.parts, name, { places, filterName: filter, hashes }));
  checkCount(
    likely.reduce((sum, { granules }) => sum + granules.length, 0),
    maxGranules,
  );
  const search = { statement, facts: rows.facts, value, untilMs };
  const sought = new KeySet(keys);
  const found = likely.map(({ part, granules }) => foundIn(part, granules, search, sought));
  checkRows(found.flat().reduce((sum, { rows: some }) => sum + some.length, 0));
  const answer = new Answer();
  for (const [index, granules] of found.entries()) {
    const part = likely[index]?.part;
    if (part !== undefined && granules.length > 0) {
      readRows(part, granules, search, answer);
    }
  }
  return answer.whole();
}

/** The rows found so far. */
class Answer {
  readonly #rows: Buffer[] = [];
  #bytes = 0;

  /** @throws UnreadablePart when the answer exceeds its limits */
  add(values: readonly Buffer[]): void {
    const row = Buffer.concat(values);
    this.#bytes += row.length;
    this.#rows.push(row);
    if (this.#bytes > maxBytes) {
      throw new UnreadablePart("more bytes than are read here");
    }
  }

  /** The rows in a new buffer, which can be transferred to another thread. */
  whole(): PointAnswer {
    const bytes = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const row of this.#rows) {
      at += row.copy(bytes, at);
    }
    return { bytes, rows: this.#rows.length };
  }
}

function checkCount(granules: number, most: number): void {
  if (granules > most) {
    throw new UnreadablePart("more granules than are read here");
  }
}

function checkRows(rows: number): void {
  if (rows > maxRows) {
    throw new UnreadablePart("more rows than are read here");
  }
}

function checkTime(untilMs: number): void {
  if (performance.now() > untilMs) {
    throw new UnreadablePart("it takes longer than is waited here");
  }
}

/** Partitions and minutes of keys, from the table that is ordered by key. */
function placesOf(
  parts: TableParts,
  { key, places: { minute } }: PointStatement,
  keys: readonly Buffer[],
  untilMs: number,
): Places {
  const places: Places = new Map();
  let count = 0;
  for (const name of parts.local()) {
    const part = parts.open(name);
    const [keyColumn, minuteColumn] = [columnOf(part, key), columnOf(part, minute, "DateTime('UTC')")];
    part.read((read) => {
      for (const one of keys) {
        const [from, to] = part.index.granulesOf(one);
        count += to - from;
        checkCount(count, maxIndexGranules);
        checkTime(untilMs);
        for (let granule = from; granule < to; granule++) {
          const rows = rowsOfSorted(allOf(keyColumn, read(granule, keyColumn.streams)), one);
          if (rows.length === 0) {
            continue;
          }
          const minutes = places.get(name.partition) ?? new Set();
          places.set(name.partition, minutes);
          for (const bytes of minuteColumn.reader.values(read(granule, minuteColumn.streams), rows)) {
            minutes.add(bytes.readUInt32LE(0));
          }
        }
      }
    });
  }
  return places;
}

/** Conditions that choose granules. */
interface GranuleFilter {
  /** Minutes to read, by partition. */
  readonly places: Places;
  /** Name of the Bloom filter for the key column; undefined for a table without it. */
  readonly filterName: string | undefined;
  /** Hashes of each key for the Bloom filter. */
  readonly hashes: readonly BloomHashes[];
}

/** Granules of the minutes, except granules whose filter excludes all keys. */
function likelyGranules(
  parts: TableParts,
  name: PartName,
  { places, filterName, hashes }: GranuleFilter,
): { readonly part: Part; readonly granules: readonly number[] } {
  const part = parts.open(name);
  const granules = part.index.granulesOfNumbers([...(places.get(name.partition) ?? [])]);
  const filter = filterName === undefined || granules.length === 0 ? undefined : part.filter(filterName);
  if (filter === undefined) {
    return { part, granules };
  }
  return { part, granules: granules.filter((granule) => filter.mayHaveAny(granule, hashes)) };
}

/** The keys to find, and the time limit. */
interface Search {
  readonly statement: PointStatement;
  /** Facts of the table with the rows. */
  readonly facts: TableFacts;
  /** Required value of the statement's equal column. */
  readonly value: string;
  /** End of the time limit by `performance.now()`, in milliseconds. */
  readonly untilMs: number;
}

/** Rows of a granule that have one of the keys. */
interface FoundRows {
  /** Number of the granule in its part. */
  readonly granule: number;
  /** Numbers of rows in the granule, ascending. */
  readonly rows: readonly number[];
}

/** Finds rows by reading only the column of the keys. */
function foundIn(
  part: Part,
  granules: readonly number[],
  { statement: { key }, facts, untilMs }: Search,
  keys: KeySet,
): FoundRows[] {
  const column = columnOf(part, key, facts.columns.get(key));
  return part.read((read) => {
    const found = granules.map((granule) => {
      checkTime(untilMs);
      return { granule, rows: keys.rowsIn(allOf(column, read(granule, column.streams))) };
    });
    return found.filter(({ rows }) => rows.length > 0);
  });
}

/** Adds the found rows that have the required value. */
function readRows(part: Part, found: readonly FoundRows[], search: Search, answer: Answer): void {
  const { statement, facts, value, untilMs } = search;
  const { columns, equal } = statement;
  const columnsRead = columns.map((name) => columnOf(part, name, facts.columns.get(name)));
  const equalColumn = columnOf(part, equal.column, facts.columns.get(equal.column));
  const wanted = textValue(Buffer.from(value));
  part.read((read) => {
    for (const { granule: number, rows: likely } of found) {
      checkTime(untilMs);
      const granule = read(number);
      const equals = equalColumn.reader.values(granule, likely);
      const rows = likely.filter((_, index) => wanted.equals(equals[index] as Buffer));
      const values = columnsRead.map(({ reader }) => reader.values(granule, rows));
      for (let row = 0; row < rows.length; row++) {
        answer.add(values.map((ofColumn) => ofColumn[row] as Buffer));
      }
    }
  });
}

function allOf({ reader }: PartColumn, granule: Granule): Buffer {
  const all = reader.all?.(granule);
  if (all === undefined) {
    throw new UnreadablePart("a key is not of a fixed size");
  }
  return all;
}

/** @param type type that the column must have; undefined: any type */
function columnOf(part: Part, name: string, type?: string): PartColumn {
  const column = part.columns.get(name);
  if (column === undefined || (type !== undefined && column.type !== type)) {
    throw new UnreadablePart(`${part.folder} does not have ${name} as it is read here`);
  }
  return column;
}
