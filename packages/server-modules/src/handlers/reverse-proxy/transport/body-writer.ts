import type { Readable } from "node:stream";
import { StreamReading, type StreamTaker } from "http-engine/body/stream-reading";

/** Receives the bytes of a request body. */
export interface BodySink {
  /** @returns false when the writer should pause until `onceDrain` */
  write(chunk: Buffer): boolean;
  /** Calls back once the upstream accepts more bytes. */
  onceDrain(callback: () => void): void;
}

/** Sends the body of a request, with back pressure. After `stop`, unread bytes stay in the source. */
export class BodyWriter implements StreamTaker {
  readonly #sink: BodySink;
  /** Called once at the end, unless `stop` was called before. */
  readonly #done: (error: Error | undefined) => void;
  readonly #reading: StreamReading;
  /** True after the first chunk, the end, or an error of the source. */
  #begun = false;

  /** @param done called once, when the whole body was written or the source failed; not called after {@link stop} */
  constructor(source: Readable, sink: BodySink, done: (error: Error | undefined) => void) {
    this.#sink = sink;
    this.#done = done;
    this.#reading = new StreamReading(source, this);
  }

  /** True once data or the end was read from the source. From then on the body cannot be sent again. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Stops reading. Unread bytes stay in the source, for another attempt. */
  stop(): void {
    this.#reading.stop();
  }

  // Called by the reading

  /** Writes a chunk. @returns false while the upstream accepts no more; reading continues after `onceDrain` */
  data(chunk: Buffer): boolean {
    this.#begun = true;
    if (chunk.length === 0 || this.#sink.write(chunk)) {
      return true;
    }
    this.#sink.onceDrain(() => this.#reading.resume());
    return false;
  }

  end(): void {
    this.#begun = true;
    this.#done(undefined);
  }

  failed(error: Error): void {
    this.#begun = true;
    this.#done(error);
  }
}
