/**
 * Counts the bytes that a peer may send on a connection or stream before it gets a larger window. Used bytes are
 * granted again when they exceed half of the window, so that the peer need not stop. Source: RFC 9113, section 5.2
 */
export class ReceiveWindow {
  readonly #wholeBytes: number;
  #leftBytes: number;

  /** @param wholeBytes initial size of the window in bytes; each grant restores this size */
  constructor(wholeBytes: number) {
    this.#wholeBytes = wholeBytes;
    this.#leftBytes = wholeBytes;
  }

  /** Counts a DATA frame with its padding. @returns false when the frame exceeds the window */
  take(frameBytes: number): boolean {
    this.#leftBytes -= frameBytes;
    return this.#leftBytes >= 0;
  }

  /** @returns bytes to grant now by WINDOW_UPDATE; 0: none yet */
  grant(): number {
    const usedBytes = this.#wholeBytes - this.#leftBytes;
    if (usedBytes <= this.#wholeBytes / 2) {
      return 0;
    }
    this.#leftBytes = this.#wholeBytes;
    return usedBytes;
  }
}
