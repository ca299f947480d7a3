import { PackedSpans, type SpanPlace, type StoredOrigins } from "wire/rows";
import { nextTurn } from "../../api/next-turn.ts";
import type { PackedTrace } from "../../api/span-reader.ts";
import { decoded } from "./decode-spans.ts";
import { SpanStarts } from "./order-by-start.ts";

/** Bytes of rows that are read in one turn; some milliseconds of work. */
const gatheredBytes = 512 * 1024;

interface SpansOfTrace {
  /** In order of arrival. */
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

  /** @param origins shared by answers */
  constructor(origins: StoredOrigins) {
    this.#spans = new PackedSpans(origins);
  }

  /** Bytes of the answer. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The next piece of the answer, which may be cut anywhere.
   * @throws StorageError STORAGE_REFUSED for unreadable rows; some faults show only when spans are read
   */
  async add(piece: Buffer): Promise<void> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#pieceBytes += piece.length;
    if (this.#pieceBytes < gatheredBytes) {
      return;
    }
    // Answers that have arrived completely would otherwise be read in one turn, and delay other requests.
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

  /** The trace with its spans ordered by start; spans with the same start keep their order. */
  async trace(traceId: string): Promise<PackedTrace | undefined> {
    const found = this.#traces.get(traceId);
    if (found === undefined) {
      return undefined;
    }
    const order = (await found.starts.inOrder()).map((position) => found.indexes[position] as number);
    const spans = this.#spans;
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
