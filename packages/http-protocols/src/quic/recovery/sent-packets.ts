import { randomInt } from "node:crypto";
import type { NumberRange } from "../wire/frames.ts";

/** A packet that needs an acknowledgment; other packets are not stored. */
export interface SentPacket<Frame> {
  /** Packet number in its space; some are left out, see {@link maxSkipDistance}. */
  readonly number: number;
  /** Milliseconds, on the clock that all methods get as `now`. */
  readonly sentAt: number;
  /** Size of the packet in bytes, including its header. */
  readonly bytes: number;
  /** Frames of the packet, which are sent again when the packet is lost. */
  readonly frames: readonly Frame[];
  /** True for a packet that only checks whether the path supports its size. */
  readonly isSizeProbe?: boolean;
}

/** A packet this far below the largest acknowledged number is lost. Source: RFC 9002, section 6.1.1 */
const reorderingLimit = 3;

/** Bounds of the random distance between two skipped numbers: first and largest. The bound doubles after each skip. */
const firstSkipDistance = 256;
const maxSkipDistance = 131_072;
/** Maximum number of skipped numbers that are remembered. Acknowledgments of older ones are not noticed. */
const maxSkipped = 8;

/** Packets of one packet number space that wait for an acknowledgment. The congestion window limits them. */
export class SentPackets<Frame> {
  readonly #packets = new Map<number, SentPacket<Frame>>();
  /** Number of the next packet. */
  nextNumber = 0;
  #skipDistance = firstSkipDistance;
  #nextSkip = randomInt(1, firstSkipDistance);
  #skipped: number[] = [];
  largestAcked = -1;
  /** Time when the oldest packet that may be late counts as lost; undefined when none is late. */
  lossAt: number | undefined;
  /** Time when the last packet that needs an acknowledgment was sent. */
  lastSentAt = 0;

  get size(): number {
    return this.#packets.size;
  }

  add(packet: SentPacket<Frame>): void {
    this.#packets.set(packet.number, packet);
    this.lastSentAt = packet.sentAt;
  }

  /**
   * Advances to the next number, and skips some at random. A peer that acknowledges a skipped number did not receive
   * that packet. It only wants this side to send faster than its network allows. Source: RFC 9000, section 21.4
   */
  advanceNumber(): void {
    this.nextNumber++;
    if (this.nextNumber >= this.#nextSkip) {
      this.#skipped = [...this.#skipped.slice(1 - maxSkipped), this.nextNumber];
      this.nextNumber++;
      this.#skipDistance = Math.min(this.#skipDistance * 2, maxSkipDistance);
      this.#nextSkip = this.nextNumber + randomInt(1, this.#skipDistance);
    }
  }

  /** True when packets within `ranges`, in descending order, were never sent. */
  hasUnsent(ranges: readonly NumberRange[]): boolean {
    return (
      (ranges[0] as NumberRange).high >= this.nextNumber ||
      this.#skipped.some((number) => ranges.some(({ low, high }) => number >= low && number <= high))
    );
  }

  /** The oldest `count` packets, in the order of sending. */
  oldest(count: number): SentPacket<Frame>[] {
    return [...this.#packets.values().take(count)];
  }

  /**
   * Removes the packets within `ranges`, in descending order.
   * @returns these packets, the oldest first
   */
  takeAcked(ranges: readonly NumberRange[]): SentPacket<Frame>[] {
    const acked: SentPacket<Frame>[] = [];
    const { high: largest } = ranges[0] as NumberRange;
    this.largestAcked = Math.max(this.largestAcked, largest);
    let index = ranges.length - 1;
    for (const packet of this.#packets.values()) {
      if (packet.number > largest) {
        break;
      }
      while ((ranges[index] as NumberRange).high < packet.number) {
        index--;
      }
      if ((ranges[index] as NumberRange).low <= packet.number) {
        acked.push(packet);
      }
    }
    for (const { number } of acked) {
      this.#packets.delete(number);
    }
    return acked;
  }

  /** Removes the packets that count as lost now, and sets `lossAt` for the others. @returns the lost ones, oldest first */
  takeLost(now: number, lossDelay: number): SentPacket<Frame>[] {
    const lost: SentPacket<Frame>[] = [];
    this.lossAt = undefined;
    for (const packet of this.#packets.values()) {
      if (packet.number > this.largestAcked) {
        break;
      }
      if (packet.number <= this.largestAcked - reorderingLimit || packet.sentAt + lossDelay <= now) {
        lost.push(packet);
      } else {
        this.lossAt = Math.min(this.lossAt ?? Number.POSITIVE_INFINITY, packet.sentAt + lossDelay);
      }
    }
    for (const { number } of lost) {
      this.#packets.delete(number);
    }
    return lost;
  }

  /** Removes all packets. @returns these packets, the oldest first */
  takeAll(): SentPacket<Frame>[] {
    const all = [...this.#packets.values()];
    this.#packets.clear();
    this.lossAt = undefined;
    return all;
  }
}
