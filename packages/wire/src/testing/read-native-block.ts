import { ByteWriter, varintBytes } from "../rows/byte-writer.ts";
import { readEventText } from "../rows/read-event-text.ts";
import { spanColumns } from "../rows/span-columns.ts";
import { SpanRowReader } from "../rows/span-row-reader.ts";
import { writeAttributes } from "../rows/span-row-writer.ts";

/** Reads bytes from the start of a block. */
class BlockBytes {
  readonly #bytes: Buffer;
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.position === this.#bytes.length;
  }

  take(count: number): Buffer {
    const start = this.position;
    this.position += count;
    if (this.position > this.#bytes.length) {
      throw new Error(`the block ends before byte ${this.position}`);
    }
    return this.#bytes.subarray(start, this.position);
  }

  /** An unsigned LEB128 number: `ac 02` is 300. */
  length(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const [byte = 0] = this.take(1);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        return value;
      }
    }
  }

  uint64(): number {
    return Number(this.take(8).readBigUInt64LE());
  }
}

/** Types whose values all have the same size. All other types are strings that start with their length. */
const fixedBytes: readonly (readonly [type: RegExp, bytes: number])[] = [
  [/^Enum8\(/, 1],
  [/^UInt32$/, 4],
  [/^(Float64|Int64|DateTime64\(9, 'UTC'\))$/, 8],
  [/^FixedString\(8\)$/, 8],
  [/^FixedString\(16\)$/, 16],
];

/**
 * Reads the values of a column in the form of RowBinary. Native stores columns differently:
 *
 * | Type | In Native |
 * |---|---|
 * | `Array(T)` | for each row the end of its elements (8 bytes), then all elements as a column of `T` |
 * | `Tuple(A, B)` | a column of `A`, then a column of `B` |
 * | `LowCardinality(T)` | version 1, kind of the indexes, number of keys, column of keys, number of indexes, indexes |
 */
function readColumn(from: BlockBytes, type: string, rows: number): Buffer[] {
  const inner = /^\w+\((.*)\)$/s.exec(type)?.[1] ?? "";
  if (type.startsWith("Array(")) {
    const ends = Array.from({ length: rows }, () => from.uint64());
    const items = readColumn(from, inner, ends.at(-1) ?? 0);
    return ends.map((end, row) => {
      const own = items.slice(ends[row - 1] ?? 0, end);
      return Buffer.concat([varint(own.length), ...own]);
    });
  }
  if (type.startsWith("Tuple(")) {
    const members = membersOf(inner).map((member) => readColumn(from, member.replace(/^\w+ /, ""), rows));
    return Array.from({ length: rows }, (_, row) =>
      Buffer.concat(members.flatMap((member) => member[row] ?? [])),
    );
  }
  if (type.startsWith("LowCardinality(")) {
    if (from.uint64() !== 1) {
      throw new Error("no dictionary for each block");
    }
    const kind = from.uint64();
    if ((kind & ~0xff) !== 0x200) {
      throw new Error(`dictionary of kind ${kind}`);
    }
    const keys = readColumn(from, inner, from.uint64());
    if (from.uint64() !== rows) {
      throw new Error("another number of indexes");
    }
    const width = 2 ** (kind & 0xff);
    return Array.from({ length: rows }, () => keys[from.take(width).readUIntLE(0, width)] ?? Buffer.alloc(0));
  }
  const fixed = fixedBytes.find(([pattern]) => pattern.test(type))?.[1];
  return Array.from({ length: rows }, () => {
    if (fixed !== undefined) {
      return from.take(fixed);
    }
    const length = from.length();
    return Buffer.concat([varint(length), from.take(length)]);
  });
}

/** Types of a tuple's members: `a String, b Array(UInt8)` has two. Commas inside brackets do not separate members. */
function membersOf(list: string): string[] {
  const members: string[] = [];
  let depth = 0;
  let member = "";
  for (const letter of list) {
    if (letter === "(") {
      depth++;
    }
    if (letter === ")") {
      depth--;
    }
    if (letter === "," && depth === 0) {
      members.push(member.trim());
      member = "";
    } else {
      member += letter;
    }
  }
  return [...members, member.trim()];
}

/** The inverse of `BlockBytes.length`. */
function varint(value: number): Buffer {
  const bytes = Buffer.alloc(varintBytes(value));
  for (let index = 0, rest = value; index < bytes.length; index++, rest = Math.floor(rest / 0x80)) {
    bytes[index] = (rest & 0x7f) | (index < bytes.length - 1 ? 0x80 : 0);
  }
  return bytes;
}

/** Adds the columns of a row that a block stores in `scope_text` and `event_text`. */
function addColumnsOfTexts(columns: Map<string, Buffer[]>): void {
  const scopeColumns = ["scope_name", "scope_version", "scope_schema_url", "resource_schema_url"];
  const scopes = columns.get("scope_text")?.map(textsOf) ?? [];
  for (const [index, name] of scopeColumns.entries()) {
    columns.set(
      name,
      scopes.map((texts) => texts[index] ?? Buffer.alloc(1)),
    );
  }
  columns.set("events", columns.get("event_text")?.map(eventsOf) ?? []);
}

/**
 * @param text four texts with marks between them, as one RowBinary string. @returns each of the texts as a RowBinary
 * string
 */
function textsOf(text: Buffer): Buffer[] {
  const from = new BlockBytes(text);
  const bytes = from.take(from.length()).toString("latin1");
  return bytes.split("\xff").map((each) => Buffer.concat([varint(each.length), Buffer.from(each, "latin1")]));
}

/** @param text the events of a span as one RowBinary string. @returns the events as an array of a row */
function eventsOf(text: Buffer): Buffer {
  const events = readEventText(new SpanRowReader(text));
  const out = new ByteWriter();
  out.varint(events.length);
  for (const { timeUnixNano, name, attributes, droppedAttributesCount } of events) {
    out.int64(timeUnixNano);
    out.string(name);
    writeAttributes(out, attributes);
    out.uint32(droppedAttributesCount);
  }
  return Buffer.from(out.bytes);
}

/**
 * For tests: the rows of a block in ClickHouse's format Native. The code follows the format's documentation, not our
 * writer. Missing columns have empty values in all rows.
 */
export function readNativeBlock(block: Uint8Array): {
  bytes: Buffer;
  count: number;
  columns: string[];
  adjustedCounts: number[];
} {
  const from = new BlockBytes(Buffer.from(block));
  const columnCount = from.length();
  const count = from.length();
  const columns = new Map<string, Buffer[]>();
  for (let column = 0; column < columnCount; column++) {
    const name = from.take(from.length()).toString();
    columns.set(name, readColumn(from, from.take(from.length()).toString(), count));
  }
  if (!from.done) {
    throw new Error("bytes are left behind the block");
  }
  const names = [...columns.keys()];
  addColumnsOfTexts(columns);
  const rows = Array.from({ length: count }, (_, row) =>
    Buffer.concat(
      spanColumns.map(({ name, type }) => {
        const nothing = Buffer.alloc(fixedBytes.find(([pattern]) => pattern.test(type))?.[1] ?? 1);
        return columns.get(name)?.[row] ?? nothing;
      }),
    ),
  );
  const adjustedCounts = columns.get("adjusted_count")?.map((value) => value.readDoubleLE()) ?? [];
  return { bytes: Buffer.concat(rows), count, columns: names, adjustedCounts };
}
