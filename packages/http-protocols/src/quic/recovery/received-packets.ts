import type { NumberRange } from "../wire/frames.ts";

/** Maximum number of ranges that are remembered. With more gaps, the oldest range is dropped. */
const maxRanges = 64;
/** Packets per acknowledgment. After one packet, it waits for the second, at most the announced delay. */
const packetsPerAck = 2;

/** Received packets of one packet number space, and when to acknowledge them. Source: RFC 9000, section 13.2 */
export class ReceivedPackets {
  /** Ranges of received numbers, descending, with gaps between them. */
  #ranges: NumberRange[] = [];
  /** Numbers up to this one count as received. */
  #floor = -1;
  readonly #maxDelayMs: number;
  #unacked = 0;
  #largestAt = 0;
  /** Time when the acknowledgment is due; undefined when no packet needs an acknowledgment. */
  ackAt: number | undefined;

  /** @param maxDelayMs limit of the delay; 0 for spaces whose packets are acknowledged at once */
  constructor(maxDelayMs: number) {
    this.#maxDelayMs = maxDelayMs;
  }

  get largest(): number {
    return this.#ranges[0]?.high ?? this.#floor;
  }

  get ranges(): readonly NumberRange[] {
    return this.#ranges;
  }

  has(number: number): boolean {
    return number <= this.#floor || this.#ranges.some(({ low, high }) => number >= low && number <= high);
  }

  /** Milliseconds since the largest packet arrived. */
  ackDelay(now: number): number {
    return Math.max(now - this.#largestAt, 0);
  }

  /** Adds a packet that `has` does not know. */
  add(number: number, elicitsAck: boolean, now: number): void {
    const { largest } = this;
    const inOrder = number === largest + 1;
    if (number > largest) {
      this.#largestAt = now;
    }
    this.#insert(number);
    if (!elicitsAck) {
      return;
    }
    this.#unacked++;
    const atOnce = this.#maxDelayMs === 0 || this.#unacked >= packetsPerAck || !inOrder;
    this.ackAt = atOnce ? now : Math.min(this.ackAt ?? Number.POSITIVE_INFINITY, now + this.#maxDelayMs);
  }

  onAckSent(): void {
    this.#unacked = 0;
    this.ackAt = undefined;
  }

  /** Drops the ranges up to `largest`. The peer has received their acknowledgment. */
  forgetUpTo(largest: number): void {
    this.#floor = Math.max(this.#floor, largest);
    this.#ranges = this.#ranges
      .filter(({ high }) => high > this.#floor)
      .map(({ low, high }) => ({ low: Math.max(low, this.#floor + 1), high }));
  }

  #insert(number: number): void {
    const ranges = this.#ranges;
    let index = 0;
    while (index < ranges.length && (ranges[index] as NumberRange).low > number + 1) {
      index++;
    }
    const above = ranges[index];
    if (above !== undefined && above.low === number + 1) {
      const below = ranges[index + 1];
      if (below?.high === number - 1) {
        ranges.splice(index, 2, { low: below.low, high: above.high });
      } else {
        ranges[index] = { low: number, high: above.high };
      }
    } else if (above !== undefined && above.high === number - 1) {
      ranges[index] = { low: above.low, high: number };
    } else {
      ranges.splice(index, 0, { low: number, high: number });
    }
    if (ranges.length > maxRanges) {
      this.#floor = Math.max(this.#floor, (ranges.pop() as NumberRange).high);
    }
  }
}
