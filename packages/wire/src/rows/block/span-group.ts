import { ByteWriter } from "../byte-writer.ts";
import type { RowScanner } from "../row-scanner.ts";
import { adjustedCountColumn, type BlockColumn, type DictionaryColumn } from "./block-columns.ts";
import { writeEventText } from "./event-text-writer.ts";
import { columnBytes, MostlyZeroColumn } from "./native-column.ts";
import {
  AttributeColumns,
  joinedPieces,
  LinkColumns,
  type NestedColumns,
  WarningColumns,
} from "./nested-columns.ts";
import type { PrefixTable } from "./prefix-table.ts";
import type { RowBytes } from "./row-bytes.ts";

/** Columns that each `SpanGroup` stores itself; the others come from the prefix table. */
export type OwnColumn = Exclude<BlockColumn, DictionaryColumn>;

/**
 * Neighboring rows of a block: the rows of one service, or the rows of all services without their own group. A column
 * whose values are mostly 0 or empty uses memory only after the first other value.
 *
 * Use: `add` copies each row of a batch, `pieces` returns the columns for the block, and `clear` starts the next batch
 * with the same memory.
 */
export class SpanGroup {
  /** For each row, the number of its prefix in the prefix table. */
  #prefixes = new Uint32Array(64);
  #rows = 0;
  /** Largest number of rows in one batch since the group was created. */
  #mostRows = 0;
  /** The columns by name. A `ByteWriter` has a value for each row, even if the value is 0. */
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
    event_text: new MostlyZeroColumn(1),
    dropped_events: new MostlyZeroColumn(4),
    links: new LinkColumns(),
    dropped_links: new MostlyZeroColumn(4),
    warnings: new WarningColumns(),
    adjusted_count: new MostlyZeroColumn(8),
  } satisfies Record<OwnColumn, ByteWriter | MostlyZeroColumn | NestedColumns>;

  get rows(): number {
    return this.#rows;
  }

  /** Numbers of the rows' prefixes. */
  get prefixes(): Uint32Array {
    return this.#prefixes.subarray(0, this.#rows);
  }

  /**
   * True when the group once had more than twice as many rows as now. The next `clear` of the block then removes the
   * group.
   */
  get isTooLarge(): boolean {
    return this.#rows * 2 < this.#mostRows;
  }

  clear(): void {
    this.#mostRows = Math.max(this.#mostRows, this.#rows);
    this.#rows = 0;
    for (const column of Object.values(this.#columns)) {
      column.clear();
    }
  }

  /** True when a row has a value in this column, and for columns that are always sent. */
  has(name: OwnColumn): boolean {
    const column = this.#columns[name];
    return name === adjustedCountColumn || column instanceof ByteWriter || !column.isNothing;
  }

  /**
   * Copies a row.
   * @param scanner has read the row
   * @param prefix number of the row's prefix in `prefixes`
   */
  add(from: RowBytes, scanner: RowScanner, prefixes: PrefixTable, prefix: number): void {
    if (this.#rows === this.#prefixes.length) {
      this.#grow();
    }
    this.#prefixes[this.#rows] = prefix;
    if (!prefixes.isPlain(prefix)) {
      this.#addPrefix(prefixes, prefix);
    }
    this.#addSpan(from, scanner);
    this.#rows++;
  }

  /** Sets the number of original spans that the last row represents. The default is 0. */
  setAdjustedCount(count: number): void {
    this.#columns.adjusted_count.at(this.#rows - 1).float64(count);
  }

  /** Doubles the space for prefix numbers. */
  #grow(): void {
    const prefixes = new Uint32Array(this.#prefixes.length * 2);
    prefixes.set(this.#prefixes);
    this.#prefixes = prefixes;
  }

  /** Copies the fields of resource and scope that are rarely set; dictionaries contain all other fields. */
  #addPrefix(prefixes: PrefixTable, prefix: number): void {
    const row = this.#rows;
    const columns = this.#columns;
    columns.format.at(row).uint8(prefixes.formatOf(prefix));
    columns.resource_dropped_attributes.at(row).uint32(prefixes.resourceDroppedOf(prefix));
    columns.scope_dropped_attributes.at(row).uint32(prefixes.scopeDroppedOf(prefix));
    const attributes = prefixes.scopeAttributesOf(prefix);
    if (attributes !== undefined) {
      columns.scope_attributes.add(row, attributes);
    }
  }

  /** Copies the columns `trace_id` to `warnings`. The scanner has the positions of the longer columns. */
  #addSpan(from: RowBytes, scanner: RowScanner): void {
    const { bytes, view } = from;
    const row = this.#rows;
    const columns = this.#columns;
    const { traceIdAt, traceStateEnd, durationAt, attributesStart, attributesEnd, eventsEnd, linksEnd } =
      scanner;
    columns.trace_id.words(view, traceIdAt, 16);
    columns.span_id.words(view, traceIdAt + 16, 8);
    columns.parent_span_id.words(view, traceIdAt + 24, 8);
    const stateStart = traceIdAt + 32;
    if (bytes[stateStart] !== 0) {
      columns.trace_state.at(row).copy(bytes, stateStart, traceStateEnd);
    }
    if (scanner.flags !== 0) {
      columns.flags.at(row).uint32(scanner.flags);
    }
    columns.name.copy(bytes, traceStateEnd + 4, scanner.nameEnd);
    columns.kind.uint8(scanner.kind);
    columns.start.words(view, scanner.startAt, 8);
    columns.duration.words(view, durationAt, 8);
    if (scanner.status !== 0) {
      columns.status.at(row).uint8(scanner.status);
    }
    const messageStart = durationAt + 9;
    if (bytes[messageStart] !== 0) {
      columns.status_message.at(row).copy(bytes, messageStart, attributesStart);
    }
    const attributeBytes = attributesEnd - attributesStart;
    if (attributeBytes >= 4) {
      columns.attribute_text.words(view, attributesStart, attributeBytes);
    } else {
      columns.attribute_text.copy(bytes, attributesStart, attributesEnd);
    }
    addUint32(columns.dropped_attributes, row, view, attributesEnd);
    const eventsStart = attributesEnd + 4;
    if (bytes[eventsStart] !== 0) {
      from.position = eventsStart;
      writeEventText(columns.event_text.at(row), from);
    }
    addUint32(columns.dropped_events, row, view, eventsEnd);
    addArray(columns.links, row, from, eventsEnd + 4);
    addUint32(columns.dropped_links, row, view, linksEnd);
    addArray(columns.warnings, row, from, linksEnd + 4);
  }

  /** One column of all groups as pieces, in the order of the groups. */
  static pieces(groups: readonly SpanGroup[], name: OwnColumn): Uint8Array[] {
    const nested: { column: NestedColumns; rows: number }[] = [];
    const pieces: Uint8Array[] = [];
    for (const group of groups) {
      const column = group.#columns[name];
      if (column instanceof ByteWriter) {
        pieces.push(column.bytes);
      } else if (column instanceof MostlyZeroColumn) {
        pieces.push(column.bytes(group.#rows));
      } else {
        nested.push({ column, rows: group.#rows });
      }
    }
    return [...pieces, ...joinedPieces(nested)];
  }
}

/** Copies a count unless it is 0. */
function addUint32(column: MostlyZeroColumn, row: number, view: DataView, at: number): void {
  const value = view.getUint32(at, true);
  if (value !== 0) {
    column.at(row).uint32(value);
  }
}

/** Copies an array unless its first byte, which is its length, is 0. */
function addArray(column: NestedColumns, row: number, from: RowBytes, at: number): void {
  if (from.bytes[at] === 0) {
    return;
  }
  from.position = at;
  column.add(row, from);
}
