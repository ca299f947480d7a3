import type { SpanRows } from "wire/rows";

const initialBytes = 64 * 1024;

/** Rows that one caller added, with the promise that this caller awaits. */
export interface GroupMember {
  /** Position of the rows in the group. */
  readonly start: number;
  readonly end: number;
  readonly count: number;
  readonly done: PromiseWithResolvers<void>;
}

/** Rows of several senders that are written as one block. */
export class SpanGroup {
  readonly openedAtMs: number = performance.now();
  readonly receivedUnixMs: number = Date.now();
  readonly members: GroupMember[] = [];
  count = 0;
  bytes = 0;
  #buffer = Buffer.allocUnsafeSlow(initialBytes);

  /** Copies the rows. @returns a promise that resolves when they are stored */
  add(rows: SpanRows): Promise<void> {
    const start = this.bytes;
    const end = start + rows.bytes.length;
    if (end > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, start);
      this.#buffer = larger;
    }
    this.#buffer.set(rows.bytes, start);
    this.bytes = end;
    this.count += rows.count;
    const done = Promise.withResolvers<void>();
    this.members.push({ start, end, count: rows.count, done });
    return done.promise;
  }

  /** The rows of adjacent members. */
  rowsOf(members: readonly GroupMember[]): SpanRows {
    const start = members[0]?.start ?? 0;
    const end = members.at(-1)?.end ?? start;
    const count = members.reduce((sum, member) => sum + member.count, 0);
    return { bytes: this.#buffer.subarray(start, end), count };
  }
}
