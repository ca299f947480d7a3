import { plainBytesOf } from "wire/rows/span-rows";
import type { CountedRows } from "../../counts/counted-rows.ts";
import { ServiceCounts } from "../../counts/service-counts.ts";
import { endMarkBytes, frameHeaderBytes, writeFrameHeader } from "./segment-format.ts";

const firstCapacityBytes = 1024 * 1024;

/**
 * The batches that share one frame, one write and one sync: all batches that arrived during the previous group's write.
 * The buffer is reused for the next group.
 */
export class CommitGroup {
  #buffer = Buffer.allocUnsafeSlow(firstCapacityBytes);
  #length = frameHeaderBytes;
  #plainBytes = 0;
  #rows = 0;
  #batches = 0;
  #services: ServiceCounts | undefined = new ServiceCounts();
  #outcome = Promise.withResolvers<void>();

  get rows(): number {
    return this.#rows;
  }

  get batches(): number {
    return this.#batches;
  }

  /** Bytes of the frame; 0 without rows. */
  get bytes(): number {
    return this.#rows === 0 ? 0 : this.#length;
  }

  /** Bytes of the rows if each had its full prefix. */
  get plainBytes(): number {
    return this.#plainBytes;
  }

  /** Counts of the rows by service; undefined when a batch had no counts. */
  get services(): ServiceCounts | undefined {
    return this.#services;
  }

  /** Copies the rows. The promise settles with the group. */
  add(rows: CountedRows): Promise<void> {
    const end = this.#length + rows.bytes.length;
    if (end + endMarkBytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end + endMarkBytes, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    this.#buffer.set(rows.bytes, this.#length);
    this.#length = end;
    this.#plainBytes += plainBytesOf(rows);
    this.#rows += rows.count;
    this.#batches++;
    if (rows.services === undefined) {
      this.#services = undefined;
    } else {
      this.#services?.add(rows.services);
    }
    return this.#outcome.promise;
  }

  /**
   * The whole frame with an end mark; a view that is valid until `settle`. @param seed seed of the segment's checksums
   */
  frame(seed: number): Buffer {
    const end = this.#length + endMarkBytes;
    writeFrameHeader(this.#buffer.subarray(0, this.#length), this.#rows, seed);
    writeFrameHeader(this.#buffer.subarray(this.#length, end), 0, seed);
    return this.#buffer.subarray(0, end);
  }

  /** Resolves or rejects the promises of all batches, and empties the group. */
  settle(error?: unknown): void {
    const outcome = this.#outcome;
    this.#outcome = Promise.withResolvers<void>();
    this.#length = frameHeaderBytes;
    this.#plainBytes = 0;
    this.#rows = 0;
    this.#batches = 0;
    this.#services = new ServiceCounts();
    if (error === undefined) {
      outcome.resolve();
    } else {
      outcome.reject(error);
    }
  }
}
