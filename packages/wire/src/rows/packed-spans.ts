import { WireError } from "../errors.ts";
import type { Span } from "../model/span.ts";
import { noParent, readPrefix, readSpan, type SpanRowPrefix, SpanRowReader } from "./read-span-rows.ts";

type Prefix = Pick<SpanRowPrefix, "format" | "resource" | "scope">;

const firstBlockBytes = 64 * 1024;
const largestBlockBytes = 4 * 1024 * 1024;
const traceIdBytes = 16;

/** What places a span in its trace. */
export interface SpanOutline
  extends Pick<
    Span,
    "spanId" | "parentSpanId" | "startTimeUnixNano" | "durationNano" | "format" | "resource"
  > {
  /** Whether it has links, of which one may name its parent too. */
  readonly hasLinks: boolean;
}

/**
 * Spans as the bytes of their rows, which take less than half the memory of objects. What spans of one sender share, resource
 * and scope, is held once. Rows come in pieces that may be cut anywhere; a span is made an object when it is asked for.
 */
export class PackedSpans {
  readonly #prefixes: Prefix[] = [];
  /** Of the bytes of a prefix, one character each. */
  readonly #prefixIndexes = new Map<string, number>();
  readonly #blocks: SpanRowReader[] = [];
  /** Of each span: its prefix twice, and one more if it has links; its block and where it begins there. */
  #places = new Uint32Array(3 * 64);
  #length = 0;
  #blockBytes = 0;
  /** Of the last block. */
  #used = 0;
  /** The beginning of a row whose end is still to come. */
  #rest: Uint8Array = new Uint8Array(0);
  #lastTraceId: string | undefined;

  /** Spans that are complete. */
  get length(): number {
    return this.#length;
  }

  /** Memory that the rows take. */
  get byteLength(): number {
    return this.#blockBytes + this.#places.byteLength + this.#rest.byteLength;
  }

  /**
   * Takes in more rows.
   * @param bytes not kept
   * @param onSpan gets each span that is now complete, with its index
   * @throws WireError WIRE_MALFORMED as `readSpanRows` does
   */
  add(bytes: Uint8Array, onSpan: (span: Span, index: number) => void): void {
    const reader = new SpanRowReader(this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]));
    let rowStart = 0;
    let known: { readonly start: number; readonly end: number; readonly index: number } | undefined;
    try {
      while (!reader.done) {
        rowStart = reader.position;
        if (known !== undefined && reader.repeats(known.start, known.end)) {
          reader.position += known.end - known.start;
        } else {
          known = this.#readPrefix(reader);
        }
        const start = reader.position;
        const span = readSpan(reader, this.#prefixes[known.index] as Prefix, this.#lastTraceId);
        this.#lastTraceId = span.traceId;
        const links = Number(span.links.length > 0);
        this.#keep(reader.bytes.subarray(start, reader.position), 2 * known.index + links);
        onSpan(span, this.#length - 1);
        rowStart = reader.position;
      }
    } catch (error) {
      if (!(error instanceof WireError && error.code === "WIRE_TRUNCATED")) throw error;
    }
    // A copy: the buffer may be one of a pool.
    this.#rest = Uint8Array.from(reader.bytes.subarray(rowStart));
  }

  /** @throws WireError WIRE_TRUNCATED when the last row has no end */
  end(): void {
    if (this.#rest.length > 0) {
      throw new WireError("WIRE_TRUNCATED", `rows end inside a value, after ${this.#length} whole ones`);
    }
  }

  /** The span as an object of its own, but for resource, scope and attributes, which spans share. */
  at(index: number): Span {
    const { reader, prefix } = this.#find(index);
    return readSpan(reader, prefix, this.#lastTraceId);
  }

  /** Some fields of a span, for a part of the time that all of them take. */
  outlineAt(index: number): SpanOutline {
    const { reader, prefix } = this.#find(index);
    reader.position += traceIdBytes;
    const spanId = reader.hex(8);
    const parentSpanId = reader.hex(8);
    reader.skipString(); // trace_state
    reader.uint32(); // flags
    reader.skipString(); // name
    reader.uint8(); // kind
    return {
      spanId,
      parentSpanId: parentSpanId === noParent ? "" : parentSpanId,
      startTimeUnixNano: reader.int64(),
      durationNano: reader.int64(),
      format: prefix.format,
      resource: prefix.resource,
      hasLinks: ((this.#places[3 * index] as number) & 1) === 1,
    };
  }

  #find(index: number): { readonly reader: SpanRowReader; readonly prefix: Prefix } {
    const place = 3 * index;
    const reader = this.#blocks[this.#places[place + 1] as number];
    const prefix = this.#prefixes[(this.#places[place] as number) >>> 1];
    if (reader === undefined || prefix === undefined || index >= this.#length) {
      throw new RangeError(`there is no span ${index}: there are ${this.#length}`);
    }
    reader.position = this.#places[place + 2] as number;
    return { reader, prefix };
  }

  #readPrefix(reader: SpanRowReader): { start: number; end: number; index: number } {
    const { start, end, format, resource, scope } = readPrefix(reader);
    const key = reader.bytes.toString("latin1", start, end);
    let index = this.#prefixIndexes.get(key);
    if (index === undefined) {
      index = this.#prefixes.push({ format, resource, scope }) - 1;
      this.#prefixIndexes.set(key, index);
    }
    return { start, end, index };
  }

  #keep(row: Uint8Array, prefixAndLinks: number): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || this.#used + row.length > block.bytes.length) {
      const grown = Math.min(Math.max(firstBlockBytes, this.#blockBytes), largestBlockBytes);
      const bytes = Buffer.allocUnsafeSlow(Math.max(grown, row.length));
      block = new SpanRowReader(bytes);
      this.#blocks.push(block);
      this.#blockBytes += bytes.length;
      this.#used = 0;
    }
    block.bytes.set(row, this.#used);
    if (3 * this.#length === this.#places.length) {
      const grown = new Uint32Array(this.#places.length * 2);
      grown.set(this.#places);
      this.#places = grown;
    }
    this.#places.set([prefixAndLinks, this.#blocks.length - 1, this.#used], 3 * this.#length++);
    this.#used += row.length;
  }
}
