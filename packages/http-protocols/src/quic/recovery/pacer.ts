/** Datagrams that may be sent at once. Source: RFC 9002, section 7.7 */
const burstDatagrams = 10;
/** Shortest wait of a timer in milliseconds. A burst may therefore have the datagrams of two such waits. */
const timerMs = 1;
/** Factors by which the rate exceeds one window per round trip, so that pacing leaves no part of the window unused. */
const slowStartGain = 2;
const gain = 1.25;
/** Largest share of the congestion window that leaves in one burst after the process was busy with other work. */
const lateShare = 0.5;

/** Properties of the path that determine the rate. */
export interface PacedPath {
  /** Bytes that may be in flight. */
  readonly window: number;
  /** True while the window still doubles each round trip. */
  readonly isSlowStart: boolean;
  /** Moving mean of round trips. */
  readonly smoothedRttMs: number;
  /** Bytes of a full datagram. */
  readonly datagramBytes: number;
}

/** Spreads a window over its round trip, because bursts overflow the queues of routers. Times are milliseconds. */
export class Pacer {
  #budget = Number.POSITIVE_INFINITY;
  #updatedAt = 0;
  /** Time when held back datagrams were due; undefined when none are held back. */
  #dueAt: number | undefined;

  /** @returns time when the next datagram may be sent; `now` or earlier means immediately */
  nextAt(path: PacedPath, now: number): number {
    const rate = bytesPerMs(path);
    const burst = Math.max(burstDatagrams * path.datagramBytes, rate * 2 * timerMs);
    // A process that is busy with other connections sends late. Without this credit, it would send one burst per turn.
    const late = rate * Math.max(now - (this.#dueAt ?? now), 0);
    const limit = Math.max(burst, Math.min(burst + late, lateShare * path.window));
    this.#budget = Math.min(this.#budget + rate * Math.max(now - this.#updatedAt, 0), limit);
    this.#updatedAt = now;
    if (this.#budget >= path.datagramBytes) {
      return now;
    }
    // The wait is at least `timerMs`, so that one wake-up of the timer sends several datagrams.
    this.#dueAt = now + Math.max(path.datagramBytes / rate, timerMs);
    return this.#dueAt;
  }

  /** Called when everything was sent that the window allows: nothing is late any more. */
  onDrained(): void {
    this.#dueAt = undefined;
  }

  onSent(bytes: number): void {
    this.#budget -= bytes;
  }
}

function bytesPerMs({ window, isSlowStart, smoothedRttMs }: PacedPath): number {
  return ((isSlowStart ? slowStartGain : gain) * window) / Math.max(smoothedRttMs, 0.001);
}
