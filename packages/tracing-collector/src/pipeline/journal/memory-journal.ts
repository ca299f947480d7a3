import { randomUUID } from "node:crypto";
import type { Logger } from "lifecycle";
import { plainBytesOf } from "wire/rows";
import type { CountedRows } from "../../counts/counted-rows.ts";
import { ServiceCounts } from "../../counts/service-counts.ts";
import { CollectorError } from "../../errors.ts";
import { JournalRoom } from "./journal-room.ts";
import { SealedQueue, SegmentAge } from "./segment-sealing.ts";
import type { JournalLimits, JournalSegment, SegmentLimits, SpanJournal } from "./span-journal.ts";

/**
 * A journal in memory, for operators who prefer to lose the last spans rather than write them twice. Batches
 * are acknowledged as soon as they are in memory, and a crash loses them.
 */
export class MemoryJournal implements SpanJournal {
  readonly isDurable = false;
  readonly #limits: SegmentLimits;
  readonly #room: JournalRoom;
  readonly #age: SegmentAge;
  readonly #sealed = new SealedQueue<MemorySegment>();
  /** The segment that grows; undefined when the last one was sealed and no batch has come since. */
  #open: MemorySegment | undefined;
  #bytes = 0;
  #segmentCount = 0;
  #isFinished = false;

  constructor(limits: SegmentLimits & JournalLimits, log: Logger) {
    this.#limits = limits;
    this.#room = new JournalRoom(limits, 0, log);
    this.#age = new SegmentAge(limits, () => this.#sealIfDue());
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Number of spans that the store does not have yet. */
  get rows(): number {
    return this.#room.rows;
  }

  get segments(): number {
    return this.#segmentCount;
  }

  async append(rows: CountedRows): Promise<void> {
    if (this.#isFinished) {
      throw new CollectorError("COLLECTOR_STOPPING", "the collector stops");
    }
    if (rows.count === 0) {
      return;
    }
    this.#room.admit(rows, this.#bytes);
    this.#room.add(rows.count);
    this.#bytes += rows.bytes.length;
    if (this.#open === undefined) {
      this.#open = new MemorySegment();
      this.#segmentCount++;
      this.#age.begin(this.#open);
    }
    this.#open.add(rows);
    this.#sealIfDue();
  }

  take(): Promise<JournalSegment | undefined> {
    return this.#sealed.take(() => this.#sealIfDue());
  }

  async remove(segment: JournalSegment): Promise<void> {
    await segment.remove();
    this.#bytes -= segment.bytes;
    this.#segmentCount--;
    this.#room.leave(segment.rows, this.#bytes);
  }

  /** Memory has no place for refused rows, so they are lost; the caller says so in the log. */
  async quarantine(segment: JournalSegment): Promise<string | undefined> {
    await this.remove(segment);
    return undefined;
  }

  async finish(): Promise<void> {
    this.#isFinished = true;
    if (this.#open !== undefined) {
      this.#seal(this.#open);
    }
    this.#sealed.finish();
  }

  async close(): Promise<void> {
    await this.finish();
  }

  /** A segment is sealed when it is large, or old while a writer waits. Without a writer it goes on growing. */
  #sealIfDue(): void {
    const open = this.#open;
    if (open === undefined) {
      return;
    }
    const { segmentRows, segmentBytes } = this.#limits;
    const isLarge = open.rows >= segmentRows || open.plainBytes >= segmentBytes;
    if (isLarge || (this.#age.isOldEnough && this.#sealed.isAwaited)) {
      this.#seal(open);
    }
  }

  /** Hands the segment to the longest waiting writer, or to the queue. */
  #seal(segment: MemorySegment): void {
    this.#age.end();
    this.#open = undefined;
    this.#sealed.put(segment);
  }
}

/** Copies of batches, in order of arrival. */
class MemorySegment implements JournalSegment {
  readonly createdUnixMs = Date.now();
  readonly token = `${String(this.createdUnixMs).padStart(14, "0")}-${randomUUID()}`;
  readonly path = `memory:${this.token}`;
  #batches: Uint8Array[] = [];
  #rows = 0;
  #bytes = 0;
  #plainBytes = 0;
  /** Counts of the spans by service; undefined when a batch came without counts. */
  #services: ServiceCounts | undefined = new ServiceCounts();

  get rows(): number {
    return this.#rows;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get keptBytes(): number {
    return this.#bytes;
  }

  /** Bytes of its rows if each had its own prefix. */
  get plainBytes(): number {
    return this.#plainBytes;
  }

  add(rows: CountedRows): void {
    const { bytes, count, services } = rows;
    this.#batches.push(Buffer.from(bytes));
    this.#plainBytes += plainBytesOf(rows);
    this.#rows += count;
    this.#bytes += bytes.length;
    if (services === undefined) {
      this.#services = undefined;
    } else {
      this.#services?.add(services);
    }
  }

  /** @param buffer at least `bytes` long; the result is a view of it */
  async read(buffer: Buffer): Promise<CountedRows> {
    let length = 0;
    for (const batch of this.#batches) {
      buffer.set(batch, length);
      length += batch.length;
    }
    return { bytes: buffer.subarray(0, length), count: this.#rows, services: this.#services };
  }

  async remove(): Promise<void> {
    this.#batches = [];
  }

  async quarantine(): Promise<undefined> {
    await this.remove();
  }
}
