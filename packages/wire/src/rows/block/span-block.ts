import { WireError } from "../../errors.ts";
import { ByteWriter } from "../byte-writer.ts";
import { hasPrefixMark } from "../row-prefixes.ts";
import { RowScanner } from "../row-scanner.ts";
import type { SpanRows } from "../span-rows.ts";
import { type BlockColumn, blockColumns, isDictionary } from "./block-columns.ts";
import { packIndexes, writeDictionaryHead, writeIndexHead } from "./dictionary.ts";
import { ComparedBytes, PrefixTable } from "./prefix-table.ts";
import { RowBytes } from "./row-bytes.ts";
import { SampledCounts } from "./sampled-counts.ts";
import { ServiceGroups } from "./service-groups.ts";
import { SpanGroup } from "./span-group.ts";

/**
 * Encodes spans as one block in ClickHouse's format Native, which has RowBinary values by column. ClickHouse reads a
 * block for a quarter of the cost of rows. Values that spans of a resource and scope share are sent only once.
 *
 * block.begin(); for (const rows of batches) block.add(rows); send(block.pieces());
 *
 * A block must have at least one row. Rows are ordered by service; rows of a service keep their order (`ServiceGroups`
 * describes a limit). The columns equal `blockColumns`, except that `name` is a plain String. A dictionary may contain
 * the same value several times.
 *
 * Source: ClickHouse documentation, "Native"; for LowCardinality, ClickHouse's own writer and the official
 * clients.
 */
export class SpanBlock {
  readonly #scanner = new RowScanner();
  readonly #prefixes = new PrefixTable();
  readonly #groups = new ServiceGroups();
  readonly #compared = new ComparedBytes();
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  /** Starts an empty block, which overwrites the pieces of the last block. */
  begin(): void {
    this.#rows = 0;
    this.#prefixes.clear();
    this.#groups.clear();
  }

  /**
   * Adds complete rows, which are copied.
   * @throws WireError WIRE_TRUNCATED, WIRE_MALFORMED for bytes that are not exactly `count` rows; WIRE_TOO_LARGE for a
   * column above one gibibyte. After an error, the block is unusable.
   */
  add({ bytes, count }: SpanRows): void {
    const scanner = this.#scanner;
    scanner.open({ bytes, count });
    const from = new RowBytes(bytes);
    const counts = new SampledCounts(bytes);
    const { view } = from;
    const compared = this.#compared;
    compared.one = view;
    compared.other = view;
    const { length } = bytes;
    const prefixes = this.#prefixes;
    const rowsAfter = this.#rows + count;
    let prefix = 0;
    let group: SpanGroup | undefined;
    for (let position = 0; position < length; ) {
      if (this.#rows === rowsAfter) {
        throw wrongCount(count);
      }
      const start = position;
      if (group !== undefined && hasPrefixMark(bytes, start)) {
        // The row has the same prefix as the row before it, so it has the same resource and scope.
        position = scanner.readSpan(scanner.readPrefix(start));
      } else {
        const { prefixStart } = scanner;
        const prefixBytes = scanner.prefixEnd - prefixStart;
        const repeats =
          group !== undefined &&
          start + prefixBytes <= length &&
          compared.areSame(prefixStart, start, prefixBytes);
        const end = repeats ? start + prefixBytes : scanner.readPrefix(start);
        // The whole row is checked before any part of it is copied.
        position = scanner.readSpan(end);
        if (!repeats || group === undefined) {
          prefix = prefixes.numberOf(bytes, view, start, end);
          group = this.#groups.ofPrefix(prefix, scanner);
        }
      }
      group.add(from, scanner, prefixes, prefix);
      const standsFor = counts.of(scanner);
      if (standsFor !== 0) {
        group.setAdjustedCount(standsFor);
      }
      this.#rows++;
    }
    if (this.#rows !== rowsAfter) {
      throw wrongCount(count);
    }
  }

  /**
   * Columns in which at least one row has a value, and columns that are always sent. Missing columns get the tables'
   * defaults.
   */
  get columns(): BlockColumn[] {
    return this.#present(this.#groups.inOrder).map(({ name }) => name);
  }

  /** The block as pieces to be sent in order. The pieces are valid until the next `begin`. */
  pieces(): Uint8Array[] {
    const rows = this.#rows;
    const keys = this.#prefixes.size;
    const groups = this.#groups.inOrder;
    const indexes = groups.map((group) => packIndexes(group.prefixes, keys));
    const pieces: Uint8Array[] = [];
    let head = new ByteWriter();
    const columns = this.#present(groups);
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
        pieces.push(head.bytes, ...indexes);
      } else {
        head.string(type.replaceAll("LowCardinality(String)", "String"));
        pieces.push(head.bytes, ...SpanGroup.pieces(groups, name));
      }
      head = new ByteWriter();
    }
    return pieces;
  }

  #present(groups: readonly SpanGroup[]): (typeof blockColumns)[number][] {
    return blockColumns.filter(({ name }) =>
      isDictionary(name)
        ? this.#prefixes.texts(name).some((byte) => byte !== 0)
        : groups.some((group) => group.has(name)),
    );
  }
}

function wrongCount(expected: number): WireError {
  return new WireError("WIRE_MALFORMED", `the bytes of ${expected} rows hold more or fewer`);
}
