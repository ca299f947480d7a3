import { WireError } from "../errors.ts";
import type { Span } from "../model/span.ts";
import { ByteWriter } from "./byte-writer.ts";
import {
  type PrefixBytes,
  readStoredPrefix,
  readStoredSpan,
  type SpanPlace,
  type SpanPrefix,
  StoredPrefix,
  StoredRowReader,
  skipStoredPrefix,
  skipStoredSpan,
} from "./read-stored-rows.ts";
import { SpanFields } from "./span-fields.ts";
import type { SpanOrigin } from "./span-row-reader.ts";

const firstBlockBytes = 64 * 1024;
const largestBlockBytes = 4 * 1024 * 1024;

/** Prefix of rows from which the details of resource and scope were removed. */
class KnownPrefix implements SpanPrefix {
  readonly plain: SpanOrigin;

  constructor(plain: SpanOrigin) {
    this.plain = plain;
  }

  origin(): SpanOrigin {
    return this.plain;
  }
}

/**
 * Thrown at the end of each piece, where the next piece continues. The object is reused, because no stack trace is
 * needed.
 */
const endOfPiece = new WireError("WIRE_TRUNCATED", "rows end inside a value");

class PieceReader extends StoredRowReader {
  protected override truncated(): WireError {
    return endOfPiece;
  }
}

/**
 * Spans as the bytes of their stored rows (see `readStoredRows`), which need less than half the memory of objects. Each
 * resource and scope is stored only once. Rows arrive in pieces, which may end inside a row. A span becomes an object
 * on access.
 */
export class PackedSpans {
  readonly #origins: KnownPrefix[] = [];
  readonly #originIndexes = new Map<SpanOrigin, number>();
  /** Prefixes by their bytes, which are a string with one character for each byte. */
  readonly #prefixes = new Map<string, StoredPrefix>();
  /** Resources and scopes that answers share. */
  readonly #known: StoredOrigins;
  readonly #blocks: StoredRowReader[] = [];
  /**
   * Three numbers for each span: twice the index of its origin (plus one if it has links), index of its block, and
   * position in the block.
   */
  #places = new Uint32Array(3 * 64);
  #length = 0;
  /** End of the rows in each block; for the last block, `#used` is the end. */
  readonly #blockEnds: number[] = [];
  #blockBytes = 0;
  /** Number of used bytes in the last block. */
  #used = 0;
  /** The beginning of an incomplete row, whose end has not arrived yet. */
  #rest: Uint8Array = new Uint8Array(0);
  /** Rows whose details were shortened, before they are stored. */
  #shortened: ByteWriter | undefined;
  #fields: SpanFields | undefined;

  /** @param known resources and scopes of other answers, whose objects are reused */
  constructor(known = new StoredOrigins()) {
    this.#known = known;
  }

  /** Number of complete spans. */
  get length(): number {
    return this.#length;
  }

  /** Memory of the rows in bytes. */
  get byteLength(): number {
    return this.#blockBytes + this.#places.byteLength + this.#rest.byteLength;
  }

  /**
   * Adds more rows.
   * @param pieces pieces of the rows in their order; they are copied
   * @param onSpan called with each span that is now complete, and with its index
   * @throws WireError WIRE_MALFORMED for a faulty prefix or faulty details; other parts of a row are checked when its
   * span is read
   */
  add(pieces: readonly Uint8Array[], onSpan: (span: SpanPlace, index: number) => void): void {
    const reader = new PieceReader(Buffer.concat([this.#rest, ...pieces]));
    let rowStart = 0;
    let known: PrefixBytes | undefined;
    try {
      while (!reader.done) {
        rowStart = reader.position;
        if (known !== undefined && reader.repeats(known.start, known.end)) {
          reader.position += known.end - known.start;
        } else {
          known = this.#readPrefix(reader);
        }
        const start = reader.position;
        const span = skipStoredSpan(reader, known.prefix);
        const origin = this.#indexOf(reader.origin ?? known.prefix.plain);
        this.#keep(this.#ownRow(reader, start), 2 * origin + Number(span.hasLinks));
        onSpan(span, this.#length - 1);
        rowStart = reader.position;
      }
    } catch (error) {
      if (error !== endOfPiece) {
        throw error;
      }
    }
    // The bytes are copied, because the buffer may belong to a pool.
    this.#rest = new Uint8Array(reader.bytes.subarray(rowStart));
  }

  /** @throws WireError WIRE_TRUNCATED when the last row is incomplete */
  end(): void {
    if (this.#rest.length > 0) {
      throw new WireError("WIRE_TRUNCATED", `rows end inside a value, after ${this.#length} whole ones`);
    }
  }

  /**
   * The span as a separate object, which shares resource, scope and attributes with other spans.
   * @throws WireError WIRE_MALFORMED as `readStoredRows` does
   */
  at(index: number): Span {
    const { reader, prefix } = this.#find(index);
    return readStoredSpan(reader, prefix);
  }

  /**
   * The fields of a span's row. This takes much less time than making a span object. The result is valid only until the
   * next call.
   */
  fieldsAt(index: number): SpanFields {
    const { reader, prefix } = this.#find(index);
    this.#fields ??= new SpanFields(reader, prefix);
    this.#fields.open(reader, prefix, ((this.#places[3 * index] as number) & 1) === 1);
    return this.#fields;
  }

  /**
   * Bytes of a span's row, without resource and scope. Inside one answer of a store, spans with equal bytes and equal
   * `originAt` are equal in every field.
   */
  rowAt(index: number): Uint8Array {
    const block = this.#places[3 * index + 1] as number;
    const end =
      index + 1 < this.#length && this.#places[3 * index + 4] === block
        ? (this.#places[3 * index + 5] as number)
        : (this.#blockEnds[block] ?? this.#used);
    return (this.#blocks[block] as StoredRowReader).bytes.subarray(this.#places[3 * index + 2], end);
  }

  /** A number that identifies resource and scope: spans with the same resource and scope have the same number. */
  originAt(index: number): number {
    return (this.#places[3 * index] as number) >>> 1;
  }

  #find(index: number): { readonly reader: StoredRowReader; readonly prefix: KnownPrefix } {
    const place = 3 * index;
    const reader = this.#blocks[this.#places[place + 1] as number];
    const prefix = this.#origins[(this.#places[place] as number) >>> 1];
    if (reader === undefined || prefix === undefined || index >= this.#length) {
      throw new RangeError(`there is no span ${index}: there are ${this.#length}`);
    }
    reader.position = this.#places[place + 2] as number;
    return { reader, prefix };
  }

  #readPrefix(reader: StoredRowReader): PrefixBytes {
    const start = reader.position;
    skipStoredPrefix(reader);
    const end = reader.position;
    const key = reader.bytes.toString("latin1", start, end);
    let prefix = this.#prefixes.get(key);
    if (prefix === undefined) {
      const read = () => {
        reader.position = start;
        return readStoredPrefix(reader).prefix.plain;
      };
      prefix = new StoredPrefix(this.#known.of(key, read));
      this.#prefixes.set(key, prefix);
    }
    return { start, end, prefix };
  }

  #indexOf(origin: SpanOrigin): number {
    let index = this.#originIndexes.get(origin);
    if (index === undefined) {
      index = this.#origins.push(new KnownPrefix(origin)) - 1;
      this.#originIndexes.set(origin, index);
    }
    return index;
  }

  /** The row that was just read from `start`, without the details of resource and scope. */
  #ownRow({ bytes, detailsAt, ownAt, position }: StoredRowReader, start: number): Uint8Array {
    if (ownAt === 0) {
      return bytes.subarray(start, position);
    }
    this.#shortened ??= new ByteWriter();
    const out = this.#shortened;
    out.clear();
    out.copy(bytes, start, detailsAt);
    out.varint(position - ownAt);
    out.copy(bytes, ownAt, position);
    return out.bytes;
  }

  #keep(row: Uint8Array, originAndLinks: number): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || this.#used + row.length > block.bytes.length) {
      const grown = Math.min(Math.max(firstBlockBytes, this.#blockBytes), largestBlockBytes);
      const bytes = Buffer.allocUnsafeSlow(Math.max(grown, row.length));
      block = new StoredRowReader(bytes);
      if (this.#blocks.push(block) > 1) {
        this.#blockEnds.push(this.#used);
      }
      this.#blockBytes += bytes.length;
      this.#used = 0;
    }
    block.bytes.set(row, this.#used);
    if (3 * this.#length === this.#places.length) {
      const grown = new Uint32Array(this.#places.length * 2);
      grown.set(this.#places);
      this.#places = grown;
    }
    const place = 3 * this.#length++;
    this.#places[place] = originAndLinks;
    this.#places[place + 1] = this.#blocks.length - 1;
    this.#places[place + 2] = this.#used;
    this.#used += row.length;
  }
}

/** Size limit of the cache in bytes; above it, the cache is emptied. */
const maxBytes = 2 * 1024 * 1024;

/**
 * Cache of resources and scopes of stored rows, by their bytes. Successive answers contain the same resources and
 * scopes, and so share the objects. Callers may attach data to these objects with a `WeakMap`.
 */
export class StoredOrigins {
  #known = new Map<string, SpanOrigin>();
  #bytes = 0;

  /**
   * @param prefix the columns before `trace_id`, as a string with one character for each byte
   * @param read makes the object if the cache does not have it
   */
  of(prefix: string, read: () => SpanOrigin): SpanOrigin {
    let origin = this.#known.get(prefix);
    if (origin === undefined) {
      origin = read();
      this.#bytes += prefix.length;
      if (this.#bytes > maxBytes) {
        this.#known = new Map();
        this.#bytes = prefix.length;
      }
      this.#known.set(prefix, origin);
    }
    return origin;
  }
}
