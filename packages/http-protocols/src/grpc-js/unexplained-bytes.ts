/** Bytes that a client may send outside its streams in a burst, and per second. A WINDOW_UPDATE has 13. */
const burstBytes = 1_048_576;
const bytesPerSecond = 65_536;
/** Allowance per stream: its header list, and data that arrives after this side has ended the stream. */
const bytesOfStream = 131_072;
/** Allowance per chunk: header and padding of a DATA frame, and its TLS record. */
const bytesOfChunk = 512;
/** Allowance per sent frame: two WINDOW_UPDATE frames and a PING in answer to it, each in a TLS record. */
const bytesOfSentFrame = 1_024;
const bytesOfSmallFrame = 64;

/**
 * Bytes of a connection that belong to no reported frame. They are WINDOW_UPDATE and unknown frames, which Node's
 * HTTP/2 accepts without reporting them. Each reported frame counts as more bytes than it may have. A client that sends
 * nothing else therefore never comes near the limit.
 */
export class UnexplainedBytes {
  #explained = 0;
  #before = 0;
  #left = burstBytes;
  #lookedMs: number;

  /** @param nowMs present time, on the clock of `look` */
  constructor(nowMs: number) {
    this.#lookedMs = nowMs;
  }

  streamOpened(): void {
    this.#explained += bytesOfStream;
  }

  /** Counts a part of a DATA frame. @param length in bytes */
  chunk(length: number): void {
    this.#explained += length + bytesOfChunk;
  }

  dataSent(): void {
    this.#explained += bytesOfSentFrame;
  }

  /** Counts a PING, SETTINGS or PRIORITY frame. */
  smallFrame(): void {
    this.#explained += bytesOfSmallFrame;
  }

  /**
   * @param readBytes all bytes of the connection so far
   * @returns false when too many bytes without a reported frame arrived since the last check
   */
  look(readBytes: number, nowMs: number): boolean {
    const unexplained = readBytes - this.#explained;
    const earned = ((nowMs - this.#lookedMs) * bytesPerSecond) / 1_000;
    this.#left = Math.min(burstBytes, this.#left + earned - (unexplained - this.#before));
    this.#before = unexplained;
    this.#lookedMs = nowMs;
    return this.#left >= 0;
  }
}
