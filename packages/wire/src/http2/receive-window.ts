/**
 * What a peer may send on a connection or a stream before it is granted more. It is granted what it has used when that is
 * over half of the window, so that it need not stop.
 * Source: RFC 9113, section 5.2
 */
export class ReceiveWindow {
  readonly #wholeBytes: number;
  #leftBytes: number;

  /** @param wholeBytes what the peer was granted at first, and after every grant has again */
  constructor(wholeBytes: number) {
    this.#wholeBytes = wholeBytes;
    this.#leftBytes = wholeBytes;
  }

  /** Counts a DATA frame, with its padding. @returns false when the peer had no right to send so much */
  take(frameBytes: number): boolean {
    this.#leftBytes -= frameBytes;
    return this.#leftBytes >= 0;
  }

  /** @returns what the peer is to be granted now, for WINDOW_UPDATE; 0: nothing yet */
  grant(): number {
    const usedBytes = this.#wholeBytes - this.#leftBytes;
    if (usedBytes <= this.#wholeBytes / 2) return 0;
    this.#leftBytes = this.#wholeBytes;
    return usedBytes;
  }
}
