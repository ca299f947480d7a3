import { WireError } from "../../errors.ts";
import { ByteWriter } from "../byte-writer.ts";
import { hasPrefixMark } from "../row-prefixes.ts";
import { RowScanner } from "../row-scanner.ts";
import { type SpanColumn, spanColumns } from "../span-columns.ts";
import type { SpanRows } from "../span-rows.ts";
import { packIndexes, writeDictionaryHead, writeIndexHead } from "./dictionary.ts";
import { columnBytes, MostlyZeroColumn } from "./native-column.ts";
import {
  AttributeColumns,
  EventColumns,
  LinkColumns,
  type NestedColumns,
  WarningColumns,
} from "./nested-columns.ts";
import { PrefixTable, sameBytes } from "./prefix-table.ts";
import { RowBytes } from "./row-bytes.ts";

/** Columns that all spans of a resource and scope share, and that have few values: each value is sent once. */
const dictionaries = [
  "tenant",
  "service",
  "resource_text",
  "resource_schema_url",
  "scope_name",
  "scope_version",
  "scope_schema_url",
] as const satisfies readonly SpanColumn[];

type DictionaryColumn = (typeof dictionaries)[number];

function isDictionary(name: SpanColumn): name is DictionaryColumn {
  return (dictionaries as readonly SpanColumn[]).includes(name);
}

/**
 * Spans as one block of ClickHouse's format Native: column by column, what RowBinary has row by row. The engine takes it in for a
 * quarter of what rows cost it, and values that spans of a resource and scope share are in it once.
 *
 *     block.begin();
 *     for (const rows of batches) block.add(rows);
 *     send(block.pieces());
 *
 * A block has at least one row. Columns have the names of `spanColumns`, and its types, but `name`, which is a plain String. A dictionary may have the same
 * value several times.
 *
 * Source: ClickHouse documentation, "Native"; for LowCardinality, its own writer and those of the official clients.
 */
export class SpanBlock {
  readonly #scanner = new RowScanner();
  readonly #prefixes = new PrefixTable();
  /** Of each row, the number of its prefix. */
  #numbers = new Uint32Array(1024);
  #rows = 0;
  /** All but the dictionaries. */
  readonly #columns = {
    format: new MostlyZeroColumn(1),
    resource_dropped_attributes: new MostlyZeroColumn(4),
    scope_attributes: new AttributeColumns(),
    scope_dropped_attributes: new MostlyZeroColumn(4),
    trace_id: columnBytes(),
    span_id: columnBytes(),
    parent_span_id: columnBytes(),
    trace_state: new MostlyZeroColumn(1),
    flags: new MostlyZeroColumn(4),
    name: columnBytes(),
    kind: columnBytes(),
    start: columnBytes(),
    duration: columnBytes(),
    status: new MostlyZeroColumn(1),
    status_message: new MostlyZeroColumn(1),
    attribute_text: columnBytes(),
    dropped_attributes: new MostlyZeroColumn(4),
    events: new EventColumns(),
    dropped_events: new MostlyZeroColumn(4),
    links: new LinkColumns(),
    dropped_links: new MostlyZeroColumn(4),
    warnings: new WarningColumns(),
  };

  get rows(): number {
    return this.#rows;
  }

  /** An empty block. What the last one's `pieces` gave is overwritten from now on. */
  begin(): void {
    this.#rows = 0;
    this.#prefixes.clear();
    for (const column of Object.values(this.#columns)) column.clear();
  }

  /**
   * Adds whole rows, which are copied.
   * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED for bytes that are no such rows, or more or fewer than `count`; WIRE_TOO_LARGE for a
   *   column of over a gibibyte. The block is of no use then
   */
  add({ bytes, count }: SpanRows): void {
    const scanner = this.#scanner;
    scanner.open({ bytes, count });
    const from = new RowBytes(bytes);
    const { view } = from;
    const { length } = bytes;
    const rowsAfter = this.#rows + count;
    this.#reserve(rowsAfter);
    let prefix = 0;
    for (let position = 0; position < length; ) {
      if (this.#rows === rowsAfter) throw wrongCount(count);
      const start = position;
      if (hasPrefixMark(bytes, start)) {
        // The prefix of the row before: a run of rows of one resource and scope goes on.
        position = scanner.readSpan(scanner.readPrefix(start));
      } else {
        const { prefixStart } = scanner;
        const prefixBytes = scanner.prefixEnd - prefixStart;
        const repeats =
          scanner.prefixEnd > 0 &&
          start + prefixBytes <= length &&
          sameBytes(view, prefixStart, view, start, prefixBytes);
        const end = repeats ? start + prefixBytes : scanner.readPrefix(start);
        // The rest of the row is there before anything of it is used.
        position = scanner.readSpan(end);
        if (!repeats) prefix = this.#prefixes.numberOf(bytes, view, start, end);
      }
      this.#addPrefix(prefix);
      this.#addSpan(from);
      this.#rows++;
    }
    if (this.#rows !== rowsAfter) throw wrongCount(count);
  }

  /**
   * The columns of which any row has a value other than nothing (an empty string or array, a zero), and some others. The rest is
   * left out: it is what tables have by default.
   */
  get columns(): SpanColumn[] {
    return this.#present().map(({ name }) => name);
  }

  /** The block, as pieces to be sent one after the other; good until the next `begin`. To be asked for once. */
  pieces(): Uint8Array[] {
    const rows = this.#rows;
    const keys = this.#prefixes.size;
    const indexes = packIndexes(this.#numbers.subarray(0, rows), keys);
    const pieces: Uint8Array[] = [];
    let head = new ByteWriter();
    const columns = this.#present();
    head.varint(columns.length);
    head.varint(rows);
    for (const { name, type } of columns) {
      head.string(name);
      if (isDictionary(name)) {
        head.string(type);
        writeDictionaryHead(head, keys);
        pieces.push(head.bytes, this.#prefixes.texts(name));
        head = new ByteWriter();
        writeIndexHead(head, rows);
        pieces.push(head.bytes, indexes);
      } else {
        head.string(type.replaceAll("LowCardinality(String)", "String"));
        pieces.push(head.bytes, ...this.#columnPieces(name));
      }
      head = new ByteWriter();
    }
    return pieces;
  }

  #present(): (typeof spanColumns)[number][] {
    return spanColumns.filter(({ name }) => {
      if (isDictionary(name)) return this.#prefixes.texts(name).some((byte) => byte !== 0);
      const column = this.#columns[name];
      return column instanceof ByteWriter || !column.isNothing;
    });
  }

  #reserve(rows: number): void {
    if (rows <= this.#numbers.length) return;
    const numbers = new Uint32Array(Math.max(rows, this.#numbers.length * 2));
    numbers.set(this.#numbers.subarray(0, this.#rows));
    this.#numbers = numbers;
  }

  #addPrefix(prefix: number): void {
    const row = this.#rows;
    const prefixes = this.#prefixes;
    this.#numbers[row] = prefix;
    if (prefixes.isPlain(prefix)) return;
    const columns = this.#columns;
    columns.format.at(row).uint8(prefixes.formatOf(prefix));
    columns.resource_dropped_attributes.at(row).uint32(prefixes.resourceDroppedOf(prefix));
    columns.scope_dropped_attributes.at(row).uint32(prefixes.scopeDroppedOf(prefix));
    const attributes = prefixes.scopeAttributesOf(prefix);
    if (attributes !== undefined) columns.scope_attributes.add(row, attributes);
  }

  /** Copies the columns of the row that the scanner has read. */
  #addSpan(from: RowBytes): void {
    const { bytes, view } = from;
    const row = this.#rows;
    const columns = this.#columns;
    const scanner = this.#scanner;
    const { traceIdAt, traceStateEnd, durationAt, attributesStart, attributesEnd, eventsEnd, linksEnd } =
      scanner;
    columns.trace_id.words(view, traceIdAt, 16);
    columns.span_id.words(view, traceIdAt + 16, 8);
    columns.parent_span_id.words(view, traceIdAt + 24, 8);
    const stateStart = traceIdAt + 32;
    if (bytes[stateStart] !== 0) columns.trace_state.at(row).copy(bytes, stateStart, traceStateEnd);
    if (scanner.flags !== 0) columns.flags.at(row).uint32(scanner.flags);
    columns.name.copy(bytes, traceStateEnd + 4, scanner.nameEnd);
    columns.kind.uint8(scanner.kind);
    columns.start.words(view, scanner.startAt, 8);
    columns.duration.words(view, durationAt, 8);
    if (scanner.status !== 0) columns.status.at(row).uint8(scanner.status);
    const messageStart = durationAt + 9;
    if (bytes[messageStart] !== 0) columns.status_message.at(row).copy(bytes, messageStart, attributesStart);
    const attributeBytes = attributesEnd - attributesStart;
    if (attributeBytes >= 4) columns.attribute_text.words(view, attributesStart, attributeBytes);
    else columns.attribute_text.copy(bytes, attributesStart, attributesEnd);
    addUint32(columns.dropped_attributes, row, view, attributesEnd);
    addArray(columns.events, row, from, attributesEnd + 4);
    addUint32(columns.dropped_events, row, view, eventsEnd);
    addArray(columns.links, row, from, eventsEnd + 4);
    addUint32(columns.dropped_links, row, view, linksEnd);
    addArray(columns.warnings, row, from, linksEnd + 4);
  }

  #columnPieces(name: Exclude<SpanColumn, DictionaryColumn>): Uint8Array[] {
    const column = this.#columns[name];
    if (column instanceof ByteWriter) return [column.bytes];
    return column instanceof MostlyZeroColumn ? [column.bytes(this.#rows)] : column.pieces(this.#rows);
  }
}

function addUint32(column: MostlyZeroColumn, row: number, view: DataView, at: number): void {
  const value = view.getUint32(at, true);
  if (value !== 0) column.at(row).uint32(value);
}

function addArray(column: NestedColumns, row: number, from: RowBytes, at: number): void {
  if (from.bytes[at] === 0) return;
  from.position = at;
  column.add(row, from);
}

function wrongCount(expected: number): WireError {
  return new WireError("WIRE_MALFORMED", `the bytes of ${expected} rows hold more or fewer`);
}
