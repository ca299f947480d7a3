/** A window never grows over this: it bounds what is kept for retransmission. */
const maxWindowBytes = 4 * 1_048_576;

/** The congestion controller of RFC 9002, section 7 and appendix B. */
export class NewReno {
  readonly #datagramBytes: number;
  /** Bytes of packets that are neither acknowledged nor lost. */
  inFlight = 0;
  window: number;
  #threshold = Number.POSITIVE_INFINITY;
  /** Packets that were sent before this moment belong to a congestion that was answered already. */
  #recoveryFrom = Number.NEGATIVE_INFINITY;

  constructor(datagramBytes: number) {
    this.#datagramBytes = datagramBytes;
    this.window = Math.min(10 * datagramBytes, Math.max(2 * datagramBytes, 14_720));
  }

  get available(): number {
    return this.window - this.inFlight;
  }

  onSent(bytes: number): void {
    this.inFlight += bytes;
  }

  /** @param windowWasUsed whether the window, and not the application, limited what was sent */
  onAcked(bytes: number, sentAt: number, windowWasUsed: boolean): void {
    this.inFlight -= bytes;
    if (sentAt <= this.#recoveryFrom || !windowWasUsed || this.window >= maxWindowBytes) {
      return;
    }
    this.window += this.window < this.#threshold ? bytes : (this.#datagramBytes * bytes) / this.window;
  }

  /** Packets left the network without an answer of any kind: their keys were discarded. */
  onDiscarded(bytes: number): void {
    this.inFlight -= bytes;
  }

  /** @param lastSentAt when the latest of the lost packets was sent */
  onLost(bytes: number, lastSentAt: number, now: number): void {
    this.inFlight -= bytes;
    this.onCongestion(lastSentAt, now);
  }

  onCongestion(sentAt: number, now: number): void {
    if (sentAt <= this.#recoveryFrom) {
      return;
    }
    this.#recoveryFrom = now;
    this.#threshold = Math.max(this.window / 2, this.#minWindow);
    this.window = this.#threshold;
  }

  onPersistentCongestion(): void {
    this.window = this.#minWindow;
    this.#recoveryFrom = Number.NEGATIVE_INFINITY;
  }

  get #minWindow(): number {
    return 2 * this.#datagramBytes;
  }
}
