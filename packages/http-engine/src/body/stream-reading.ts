import type { Readable } from "node:stream";
import { contain } from "./contained-stream.ts";

/** Receives the data of a stream. The last call is `end` or `failed`; `failed` also follows an `end` that throws. */
export interface StreamTaker {
  /**
   * May throw: the reading then fails with that error. @returns false when the buffer is full: continue with `resume`
   */
  data(chunk: Buffer): boolean;
  /** The stream ended normally; no more bytes follow. */
  end(): void;
  /** The stream broke, was destroyed before its end, or `data` threw. */
  failed(error: Error): void;
}

/**
 * Reads a stream from its present place to its end. Use this class for all reading by events: it also handles a stream
 * that failed before the reading, ends twice, or is destroyed without an error.
 */
export class StreamReading {
  readonly #source: Readable;
  readonly #taker: StreamTaker;
  #over = false;

  constructor(source: Readable, taker: StreamTaker) {
    this.#source = source;
    this.#taker = taker;
    contain(source);
    if (source.destroyed || source.readableEnded) {
      // The events of the stream have already fired, so they are repeated.
      process.nextTick(source.readableEnded && source.errored === null ? this.#onEnd : this.#onClose);
      return;
    }
    source.on("data", this.#onData);
    source.on("end", this.#onEnd);
    source.on("error", this.#fail);
    source.on("close", this.#onClose);
    if (source.isPaused()) {
      source.resume(); // an earlier reading of the stream was stopped
    }
  }

  resume(): void {
    if (!this.#over) {
      this.#source.resume();
    }
  }

  /** Ends the reading; unread data stays in the stream. */
  stop(): void {
    if (!this.#over) {
      this.#over = true;
      const source = this.#source;
      source.off("data", this.#onData);
      source.off("end", this.#onEnd);
      source.off("error", this.#fail);
      source.off("close", this.#onClose);
      source.pause();
    }
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#over) {
      return;
    }
    let more: boolean;
    try {
      more = this.#taker.data(chunk);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    if (!more && !this.#over) {
      this.#source.pause();
    }
  };

  readonly #onEnd = (): void => {
    if (!this.#over) {
      this.stop();
      try {
        this.#taker.end();
      } catch (error) {
        this.#taker.failed(error as Error);
      }
    }
  };

  readonly #fail = (error: Error): void => {
    if (!this.#over) {
      this.stop();
      this.#taker.failed(error);
    }
  };

  readonly #onClose = (): void => {
    this.#fail(this.#source.errored ?? new Error("the body ended early"));
  };
}
