import { crc32 } from "node:zlib";
import { RowScanner, type SpanRows } from "wire/rows";

/** The ids of a trace and a span, with which each row goes on behind its prefix. */
const idBytes = 24;

export interface RecentBatchesSettings {
  /** Most batches that are remembered; the oldest are forgotten first, half of them at a time. */
  readonly maxBatches: number;
  /** A batch is forgotten between this age and twice as much. Milliseconds. */
  readonly maxAgeMs: number;
  /** A clock in milliseconds; `performance.now` by default. */
  readonly now?: () => number;
}

/**
 * Knows the batches that arrived a short while ago. A sender whose answer got lost sends the same bytes again, and so does one
 * that lost patience: the second copy needs no place in the journal, and would be counted twice in every derived table.
 *
 * Batches are the same when their rows have one length, one CRC-32, and begin with the same tenant, trace id and span id. Ids
 * are random, so two batches that differ are never taken for one by accident.
 */
export class RecentBatches {
  readonly #settings: RecentBatchesSettings;
  readonly #now: () => number;
  readonly #scanner = new RowScanner();
  readonly #facts = Buffer.alloc(8);
  /** Each with the promise that it is kept; the younger half, and the older. */
  #younger = new Map<string, Promise<void>>();
  #older = new Map<string, Promise<void>>();
  #since: number;

  constructor(settings: RecentBatchesSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? (() => performance.now());
    this.#since = this.#now();
  }

  /**
   * Keeps a batch unless it arrived before.
   * @param rows at least one
   * @param keep keeps it; called before this returns, or not at all
   * @returns `isRepeated`: it came before. `kept` settles as the keeping of the first copy does: a copy of what could not be kept
   *   must not be acknowledged either
   */
  keepOnce(rows: SpanRows, keep: () => Promise<void>): { isRepeated: boolean; kept: Promise<void> } {
    const key = this.#keyOf(rows);
    const earlier = this.#younger.get(key) ?? this.#older.get(key);
    if (earlier !== undefined) return { isRepeated: true, kept: earlier };
    this.#forget();
    const kept = keep();
    this.#younger.set(key, kept);
    // A refused batch is sent again, and then it is new.
    kept.catch(() => {
      this.#younger.delete(key);
      this.#older.delete(key);
    });
    return { isRepeated: false, kept };
  }

  #forget(): void {
    const { maxBatches, maxAgeMs } = this.#settings;
    const now = this.#now();
    if (now - this.#since < maxAgeMs && this.#younger.size < maxBatches / 2) return;
    this.#older = this.#younger;
    this.#younger = new Map();
    this.#since = now;
  }

  #keyOf({ bytes }: SpanRows): string {
    const scanner = this.#scanner;
    scanner.open({ bytes, count: 1 });
    const traceIdAt = scanner.readPrefix(0);
    const { buffer, byteOffset } = bytes;
    const whole = Buffer.from(buffer, byteOffset, bytes.byteLength);
    this.#facts.writeUInt32LE(crc32(whole), 0);
    this.#facts.writeUInt32LE(bytes.byteLength, 4);
    return (
      this.#facts.toString("latin1") +
      whole.toString("latin1", traceIdAt, traceIdAt + idBytes) +
      whole.toString("latin1", scanner.tenantStart, scanner.tenantEnd)
    );
  }
}

/** @param maxBatches `--collector.recent-batches`; 0 remembers none */
export function openRecentBatches(maxBatches: number): RecentBatches | undefined {
  return maxBatches === 0 ? undefined : new RecentBatches({ maxBatches, maxAgeMs: 300_000 });
}
