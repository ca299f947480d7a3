import { ByteRanges } from "./byte-ranges.ts";

/** A piece of a stream in one frame. */
export interface SentPiece {
  /** Offset of the piece's first byte in the stream. */
  readonly offset: number;
  /** Number of bytes; 0 when only the end of the stream is sent. */
  readonly length: number;
}

/** Bytes that the peer has not acknowledged: sent, lost and unsent ones. */
export class SendBuffer {
  /** Chunks as they were written; the first one contains the oldest unacknowledged byte. */
  readonly #chunks: Buffer[] = [];
  /** Offset of the first chunk in the stream. */
  #base = 0;
  #end = 0;
  /** Offset of the first byte that was never sent. */
  #next = 0;
  readonly #acked = new ByteRanges();
  readonly #lost = new ByteRanges();

  /** Offset after the last byte that was written. */
  get end(): number {
    return this.#end;
  }

  /** Offset after the last byte that was sent. */
  get sentEnd(): number {
    return this.#next;
  }

  /** Number of stored bytes. */
  get heldBytes(): number {
    return this.#end - this.#base;
  }

  get unsentBytes(): number {
    return this.#end - this.#next;
  }

  get hasLost(): boolean {
    return this.#lost.count > 0;
  }

  get isAcked(): boolean {
    return this.#base === this.#end;
  }

  /** Appends bytes, which must not change before they are acknowledged. */
  write(bytes: Buffer): void {
    if (bytes.length > 0) {
      this.#chunks.push(bytes);
      this.#end += bytes.length;
    }
  }

  /**
   * Takes the next piece to send, lost bytes first.
   * @param limit offset that new bytes must not pass; the peer's flow control
   */
  take(maxBytes: number, limit: number): SentPiece | undefined {
    if (maxBytes <= 0) {
      return undefined;
    }
    const lost = this.#lost.shift(maxBytes);
    if (lost !== undefined) {
      return { offset: lost.from, length: lost.to - lost.from };
    }
    const length = Math.min(maxBytes, this.#end - this.#next, limit - this.#next);
    if (length <= 0) {
      return undefined;
    }
    const offset = this.#next;
    this.#next += length;
    return { offset, length };
  }

  /** Calls `use` with each chunk of a piece from `take`. */
  read({ offset, length }: SentPiece, use: (bytes: Buffer) => void): void {
    let at = this.#base;
    for (const chunk of this.#chunks) {
      if (at >= offset + length) {
        return;
      }
      const end = at + chunk.length;
      if (end > offset) {
        use(chunk.subarray(Math.max(offset - at, 0), Math.min(offset + length - at, chunk.length)));
      }
      at = end;
    }
  }

  onAcked({ offset, length }: SentPiece): void {
    this.#acked.add(offset, offset + length);
    this.#lost.remove(offset, offset + length);
    const first = this.#acked.first;
    if (first === undefined || first.from > this.#base) {
      return;
    }
    let chunk = this.#chunks[0];
    while (chunk !== undefined && this.#base + chunk.length <= first.to) {
      this.#base += chunk.length;
      this.#chunks.shift();
      chunk = this.#chunks[0];
    }
    this.#acked.remove(0, this.#base);
    this.#lost.remove(0, this.#base);
  }

  /** Marks a lost piece to be sent again, except for bytes before the first unacknowledged chunk. */
  onLost({ offset, length }: SentPiece): void {
    this.#lost.add(offset, offset + length);
    this.#lost.remove(0, this.#base);
  }

  clear(): void {
    this.#chunks.length = 0;
    this.#lost.clear();
    this.#acked.clear();
    this.#base = this.#end;
    this.#next = this.#end;
  }
}
