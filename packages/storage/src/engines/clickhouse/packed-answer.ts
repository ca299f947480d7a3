import { crc32 } from "node:zlib";
import { PackedSpans, type StoredOrigins } from "wire/rows/packed-spans";
import type { SpanPlace } from "wire/rows/read-stored-rows";
import { nextTurn } from "../../api/next-turn.ts";
import type { PackedTrace } from "../../api/span-reader.ts";
import { decoded } from "./calls/answer-stream.ts";
import { SpanStarts } from "./order-by-start.ts";

/** Bytes of rows that are processed in one turn of the event loop, which takes some milliseconds. */
const gatheredBytes = 512 * 1024;

interface SpansOfTrace {
  /** Indexes of the trace's rows, in order of arrival. */
  readonly indexes: number[];
  readonly starts: SpanStarts;
}

/** The rows of one answer of the store, grouped by trace and held as bytes. */
export class PackedAnswer {
  readonly #spans: PackedSpans;
  readonly #traces = new Map<string, SpansOfTrace>();
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  #bytes = 0;

  /** @param origins resources and scopes that several answers share */
  constructor(origins: StoredOrigins) {
    this.#spans = new PackedSpans(origins);
  }

  /** Bytes of the answer. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds the next piece of the answer. A piece may end inside a row.
   * @throws StorageError STORAGE_REFUSED for unreadable rows; some faults are found only when spans are read
   */
  async add(piece: Buffer): Promise<void> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#pieceBytes += piece.length;
    if (this.#pieceBytes < gatheredBytes) {
      return;
    }
    // An answer that has arrived completely would otherwise be processed in one turn, which would delay other requests.
    await nextTurn();
    this.#take();
  }

  /** @throws StorageError STORAGE_REFUSED when the answer ends too early */
  end(): void {
    this.#take();
    decoded(() => this.#spans.end());
  }

  has(traceId: string): boolean {
    return this.#traces.has(traceId);
  }

  /**
   * The trace with its spans ordered by start. Spans with the same start keep their order. Copies of a row are removed.
   */
  async trace(traceId: string): Promise<PackedTrace | undefined> {
    const found = this.#traces.get(traceId);
    if (found === undefined) {
      return undefined;
    }
    const spans = this.#spans;
    const order = await withoutCopies(found, spans);
    const at = (index: number) =>
      index < order.length ? decoded(() => spans.at(order[index] as number)) : undefined;
    const fieldsAt = (index: number) => spans.fieldsAt(order[index] as number);
    return { traceId, spans: { length: order.length, at, fieldsAt } };
  }

  #take(): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#pieceBytes = 0;
    decoded(() => this.#spans.add(pieces, (span, index) => this.#note(span, index)));
  }

  #note({ traceId, startHigh, startLow }: SpanPlace, index: number): void {
    let trace = this.#traces.get(traceId);
    if (trace === undefined) {
      trace = { indexes: [], starts: new SpanStarts() };
      this.#traces.set(traceId, trace);
    }
    trace.indexes.push(index);
    trace.starts.add(startHigh, startLow);
  }
}

/** Number of rows that are hashed in one turn of the event loop, which takes some milliseconds. */
const hashedPerTurn = 8_192;

/**
 * Indexes of a trace's spans, ordered by start, without copies. Copies share a start, so only spans with equal starts
 * are compared.
 */
async function withoutCopies({ indexes, starts }: SpansOfTrace, spans: PackedSpans): Promise<Uint32Array> {
  const order = await starts.inOrder();
  let kept = 0;
  let hashed = 0;
  for (let from = 0, to = 1; from < order.length; from = to++) {
    while (to < order.length && starts.areEqual(order[from] as number, order[to] as number)) {
      to++;
    }
    const known = to > from + 1 ? new Map<number, number[]>() : undefined;
    for (let at = from; at < to; at++) {
      const index = indexes[order[at] as number] as number;
      if (known !== undefined) {
        if (isKnown(known, index, spans)) {
          continue;
        }
        if (++hashed % hashedPerTurn === 0) {
          await nextTurn();
        }
      }
      order[kept++] = index;
    }
  }
  return order.subarray(0, kept);
}

/** Adds the span to `known`, under the checksum of its row. @returns true when `known` already contains a copy */
function isKnown(known: Map<number, number[]>, index: number, spans: PackedSpans): boolean {
  const row = spans.rowAt(index);
  const checksum = crc32(row);
  const others = known.get(checksum);
  if (others === undefined) {
    known.set(checksum, [index]);
    return false;
  }
  const origin = spans.originAt(index);
  if (
    others.some((other) => spans.originAt(other) === origin && Buffer.compare(spans.rowAt(other), row) === 0)
  ) {
    return true;
  }
  others.push(index);
  return false;
}
