/**
 * Maximum number of held bytes; at the limit they are sent regardless of the flush interval. Source: Go's net/http,
 * whose buffer has this size
 */
const maxHeldBytes = 4 * 1024;

/** Receives the bytes that a {@link PacedWriter} releases. */
export interface PacedSink {
  /** @returns false when the writer should pause */
  write(chunk: Uint8Array): boolean;
  /** Sends everything that still waits below, such as a head without its body. */
  flush(): void;
}

/**
 * Holds response bytes back for a short time, so that many small chunks are sent together.
 * Source: Caddy 2.11, `flush_interval`
 */
export class PacedWriter {
  /** `flush_interval`: limit in milliseconds for which the first held byte may wait. */
  readonly #intervalMs: number;
  readonly #sink: PacedSink;
  /** Chunks that wait, in order. */
  #held: Buffer[] = [];
  /** Bytes of the held chunks. At the limit all chunks are sent without waiting for the timer. */
  #heldBytes = 0;
  /** Runs from the first held chunk until all chunks are sent. */
  #timer: NodeJS.Timeout | undefined;

  /** The head waits too, at most as long as the first bytes. @param intervalMs limit of the wait, in milliseconds */
  constructor(intervalMs: number, sink: PacedSink) {
    this.#intervalMs = intervalMs;
    this.#sink = sink;
    this.#timer = setTimeout(this.#late, intervalMs);
  }

  /** @param chunk must not change until it is sent. @returns false when the caller should pause */
  write(chunk: Buffer): boolean {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes >= maxHeldBytes) {
      return this.#send();
    }
    this.#timer ??= setTimeout(this.#late, this.#intervalMs);
    return true;
  }

  /** Ends the body. @returns the held bytes, which the caller sends together with the end */
  end(): Uint8Array {
    clearTimeout(this.#timer);
    return this.#takeHeld();
  }

  /** Discards the held bytes. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#held = [];
  }

  /** Called at the end of the interval: sends the held bytes and flushes the response. */
  readonly #late = (): void => {
    this.#timer = undefined;
    if (this.#heldBytes > 0) {
      this.#send();
    }
    this.#sink.flush();
  };

  #send(): boolean {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#sink.write(this.#takeHeld());
  }

  /** Takes all held chunks: a single chunk is returned without a copy, several are joined. */
  #takeHeld(): Buffer {
    const [first] = this.#held;
    const all = this.#held.length === 1 && first !== undefined ? first : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return all;
  }
}
