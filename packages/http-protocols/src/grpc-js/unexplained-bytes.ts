/** Bytes that a client may send outside its streams in a burst, and per second. A WINDOW_UPDATE has 13. */
const burstBytes = 1_048_576;
const bytesPerSecond = 65_536;
/** A header list, and data that is still arriving when this side ends the stream. */
const bytesOfStream = 131_072;
/** Head and padding of a DATA frame, and the record of TLS around it. */
const bytesOfChunk = 512;
/** Answers to a frame that was sent: updates of two windows and a PING, each in a record of TLS. */
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

  /** @param nowMs on the clock of `look` */
  constructor(nowMs: number) {
    this.#lookedMs = nowMs;
  }

  streamOpened(): void {
    this.#explained += bytesOfStream;
  }

  /** A part of a DATA frame arrived. @param length in bytes */
  chunk(length: number): void {
    this.#explained += length + bytesOfChunk;
  }

  dataSent(): void {
    this.#explained += bytesOfSentFrame;
  }

  /** A PING, SETTINGS or PRIORITY frame arrived. */
  smallFrame(): void {
    this.#explained += bytesOfSmallFrame;
  }

  /**
   * @param readBytes all bytes of the connection so far
   * @returns false when there were too many since the last check
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
