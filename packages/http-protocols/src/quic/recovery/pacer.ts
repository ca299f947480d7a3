/** Limit of datagrams that may be sent at once. Source: RFC 9002, section 7.7 */
const burstDatagrams = 10;
/** A timer wakes no more often, so as many datagrams as two such times bring may leave at once too. */
const timerMs = 1;
/** Factor above one window a round trip, so that pacing never leaves a part of the window unused. */
const slowStartGain = 2;
const gain = 1.25;

/** The path, as far as the speed follows from it. */
export interface PacedPath {
  /** Bytes that may be in flight. */
  readonly window: number;
  /** True while the window still doubles each round trip. */
  readonly isSlowStart: boolean;
  /** Moving mean of round trips. */
  readonly smoothedRttMs: number;
  /** Size of full datagrams. */
  readonly datagramBytes: number;
}

/** Spreads a window over its round trip: bursts overflow the queues of routers. Times are milliseconds. */
export class Pacer {
  #budget = Number.POSITIVE_INFINITY;
  #updatedAt = 0;

  /** @returns time when the next datagram may be sent; `now` or earlier means immediately */
  nextAt(path: PacedPath, now: number): number {
    const rate = bytesPerMs(path);
    const burst = Math.max(burstDatagrams * path.datagramBytes, rate * 2 * timerMs);
    this.#budget = Math.min(this.#budget + rate * Math.max(now - this.#updatedAt, 0), burst);
    this.#updatedAt = now;
    // Waiting for a single datagram would wake a timer for each: what leaves is a timer's worth.
    return this.#budget >= path.datagramBytes ? now : now + Math.max(path.datagramBytes / rate, timerMs);
  }

  onSent(bytes: number): void {
    this.#budget -= bytes;
  }
}

function bytesPerMs({ window, isSlowStart, smoothedRttMs }: PacedPath): number {
  return ((isSlowStart ? slowStartGain : gain) * window) / Math.max(smoothedRttMs, 0.001);
}
