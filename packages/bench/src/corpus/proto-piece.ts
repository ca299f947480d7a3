/** Values in an encoded batch that each send writes anew. `span` is the number of the span within its batch. */
export type Slot =
  | { readonly kind: "traceId" | "spanId" | "parentSpanId"; readonly span: number }
  /** The time when `part` of the span's duration is over: 0 is the start, 1 is the end. */
  | { readonly kind: "time"; readonly span: number; readonly part: number }
  /** Lower-case hex digits, different in each span. */
  | { readonly kind: "uniqueText"; readonly digits: number };

interface Mark {
  readonly slot: Slot;
  /** Index of the slot's first byte in the piece. */
  readonly at: number;
}

/** Encoded protobuf, and the positions of its slots. */
export interface Piece {
  readonly bytes: Buffer;
  readonly marks: readonly Mark[];
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    bytes.push((rest % 0x80) | 0x80);
  }
  return Buffer.from([...bytes, rest]);
}

function tag(field: number, wireType: number): Buffer {
  return varint(field * 8 + wireType);
}

/** Joins pieces; the positions of their slots are adjusted. */
export function join(pieces: readonly Piece[]): Piece {
  const marks: Mark[] = [];
  let length = 0;
  for (const piece of pieces) {
    for (const { slot, at } of piece.marks) {
      marks.push({ slot, at: at + length });
    }
    length += piece.bytes.length;
  }
  return { bytes: Buffer.concat(pieces.map((piece) => piece.bytes)), marks };
}

function plain(bytes: Buffer): Piece {
  return { bytes, marks: [] };
}

/** A field whose value is a message with the given fields. */
export function messageField(field: number, ...fields: readonly Piece[]): Piece {
  const content = join(fields);
  return join([plain(Buffer.concat([tag(field, 2), varint(content.bytes.length)])), content]);
}

/** A `string` or `bytes` field. */
export function bytesField(field: number, value: string | Buffer): Piece {
  return messageField(field, plain(Buffer.from(value as string)));
}

/** A varint field: `bool`, an enum, or an integer from 0 to 2^53. */
export function varintField(field: number, value: number | boolean): Piece {
  return plain(Buffer.concat([tag(field, 0), varint(Number(value))]));
}

/** A `double` field. */
export function doubleField(field: number, value: number): Piece {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return plain(Buffer.concat([tag(field, 1), bytes]));
}

/** A `fixed32` field. */
export function fixed32Field(field: number, value: number): Piece {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return plain(Buffer.concat([tag(field, 5), bytes]));
}

/** A `string` or `bytes` field whose `length` bytes each send writes. */
export function bytesSlot(field: number, length: number, slot: Slot): Piece {
  return messageField(field, { bytes: Buffer.alloc(length), marks: [{ slot, at: 0 }] });
}

/** A `fixed64` field that each send writes. */
export function fixed64Slot(field: number, slot: Slot): Piece {
  return join([plain(tag(field, 1)), { bytes: Buffer.alloc(8), marks: [{ slot, at: 0 }] }]);
}
