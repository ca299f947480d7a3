import { crc32 } from "node:zlib";
import { RowScanner } from "wire/rows/row-scanner";
import type { SpanRows } from "wire/rows/span-rows";

/** Length of trace id and span id, which follow each row's prefix. */
const idBytes = 24;

export interface RecentBatchesSettings {
  /** Maximum number of batches that are remembered. When it is exceeded, the older half is forgotten. */
  readonly maxBatches: number;
  /** A batch is forgotten between this age and twice this age, in milliseconds. */
  readonly maxAgeMs: number;
  /** A clock in milliseconds; `performance.now` by default. */
  readonly now?: () => number;
}

/**
 * Remembers recent batches. A sender that got no answer in time sends the same bytes again. Without this class, the
 * copy would use space in the journal and count twice in every derived table.
 *
 * Two batches count as equal when their rows have the same length, CRC-32, tenant, first trace id and first span id.
 * Ids are random, so different batches do not match by accident.
 */
export class RecentBatches {
  readonly #settings: RecentBatchesSettings;
  readonly #now: () => number;
  readonly #scanner = new RowScanner();
  readonly #facts = Buffer.alloc(8);
  /**
   * The younger half of the batches. Each has the promise that settles when the batch is stored. The other map is the
   * older half.
   */
  #younger = new Map<string, Promise<void>>();
  #older = new Map<string, Promise<void>>();
  #since: number;

  constructor(settings: RecentBatchesSettings) {
    this.#settings = settings;
    this.#now = settings.now ?? (() => performance.now());
    this.#since = this.#now();
  }

  /**
   * Stores a batch unless it was stored before.
   * @param rows at least one row
   * @param keep stores the batch; called before this function returns, or never
   * @returns `isRepeated`: true for a copy. `kept` settles as the write of the first copy does: when that write failed,
   * the copy must not be acknowledged.
   */
  keepOnce(rows: SpanRows, keep: () => Promise<void>): { isRepeated: boolean; kept: Promise<void> } {
    const key = this.#keyOf(rows);
    const earlier = this.#younger.get(key) ?? this.#older.get(key);
    if (earlier !== undefined) {
      return { isRepeated: true, kept: earlier };
    }
    this.#forget();
    const kept = keep();
    this.#younger.set(key, kept);
    // A sender repeats a refused batch, which must then count as new.
    kept.catch(() => {
      this.#younger.delete(key);
      this.#older.delete(key);
    });
    return { isRepeated: false, kept };
  }

  #forget(): void {
    const { maxBatches, maxAgeMs } = this.#settings;
    const now = this.#now();
    if (now - this.#since < maxAgeMs && this.#younger.size < maxBatches / 2) {
      return;
    }
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
