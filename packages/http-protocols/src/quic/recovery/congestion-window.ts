/**
 * Datagrams of the first window. RFC 9002 recommends 10, and quic-go, Chromium and most content networks use 32. The
 * pacer spreads them over a round trip. A body of 1 MiB arrives two round trips earlier.
 */
const initialDatagrams = 32;
/** The window grows up to this many bytes. It also limits the memory for unacknowledged data. */
const maxWindowBytes = 4 * 1_048_576;

/** Data of an acknowledged packet for the congestion controller. Times are milliseconds. */
export interface AckedBytes {
  /** Bytes of the packet. */
  readonly bytes: number;
  /** Time when the packet was sent: losses from before a reduction do not reduce the window again. */
  readonly sentAt: number;
  readonly now: number;
  /** Moving mean of round trips. */
  readonly smoothedRttMs: number;
}

/** The part of RFC 9002, section 7 that all controllers share: slow start, and one reaction to each congestion. */
export abstract class CongestionWindow {
  #datagramBytes: number;
  /** Bytes of packets that are neither acknowledged nor lost. */
  inFlight = 0;
  window: number;
  /**
   * True when the window or the pacer, and not the application, limited the last sending. Only then acknowledgments let
   * the window grow. Source: RFC 9002, section 7.8
   */
  isUsed = false;
  protected threshold = Number.POSITIVE_INFINITY;
  /** Time of the last reduction. Losses of packets sent before it belong to the same congestion. */
  #recoveryFrom = Number.NEGATIVE_INFINITY;

  constructor(datagramBytes: number) {
    this.#datagramBytes = datagramBytes;
    this.window = initialDatagrams * datagramBytes;
  }

  /** Size of full datagrams: the unit of growth and of the smallest window. */
  get datagramBytes(): number {
    return this.#datagramBytes;
  }

  /** Applies the size that the path carries now. Source: RFC 9002, section 7.2 */
  resize(datagramBytes: number): void {
    if (datagramBytes !== this.#datagramBytes) {
      this.onResized(this.#datagramBytes / datagramBytes);
      this.#datagramBytes = datagramBytes;
    }
  }

  get available(): number {
    return this.window - this.inFlight;
  }

  get isSlowStart(): boolean {
    return this.window < this.threshold;
  }

  /**
   * Called when the application had nothing more to send. In slow start half a window in flight still counts as use:
   * the application reads files in pieces, and a piece may come a moment later.
   */
  onDrained(): void {
    this.isUsed = this.isSlowStart && this.inFlight > this.window / 2;
  }

  onSent(bytes: number): void {
    this.inFlight += bytes;
  }

  onAcked(acked: AckedBytes): void {
    this.inFlight -= acked.bytes;
    if (acked.sentAt <= this.#recoveryFrom) {
      return;
    }
    if (!this.isUsed) {
      this.onUnused(acked.now);
    } else if (this.window < maxWindowBytes) {
      this.window += this.isSlowStart ? acked.bytes : this.growth(acked);
    }
  }

  /** Removes packets without a sign of congestion: their keys were discarded, or they were size probes. */
  onDiscarded(bytes: number): void {
    this.inFlight -= bytes;
  }

  /** @param lastSentAt time when the latest of the lost packets was sent */
  onLost(bytes: number, lastSentAt: number, now: number): void {
    this.inFlight -= bytes;
    if (lastSentAt > this.#recoveryFrom) {
      this.#recoveryFrom = now;
      this.threshold = Math.max(this.reduced(), this.minWindow);
      this.window = this.threshold;
    }
  }

  onPersistentCongestion(): void {
    this.window = this.minWindow;
    this.#recoveryFrom = Number.NEGATIVE_INFINITY;
  }

  protected get minWindow(): number {
    return 2 * this.datagramBytes;
  }

  /** Growth of the window in bytes, outside of slow start. */
  protected abstract growth(acked: AckedBytes): number;

  /** The window after a congestion, before the minimum is applied. */
  protected abstract reduced(): number;

  /** Called before the size of datagrams changes. @param factor by which numbers of datagrams grow */
  protected onResized(_factor: number): void {}

  /** Called when the application, not the window, limited the sent data. */
  protected onUnused(_now: number): void {}
}
