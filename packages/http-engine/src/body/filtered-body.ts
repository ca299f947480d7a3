import type { Readable } from "node:stream";
import { ContainedReadable } from "./contained-stream.ts";
import { StreamReading, type StreamTaker } from "./stream-reading.ts";

/** Transforms the body of a request before its reader. */
export interface BodyFilter {
  /** Called with the declared length before the body is read. @throws HttpError to refuse the body */
  admit?(bytes: number): void;
  /** Called once, when the body is first read. */
  apply(source: Readable): Readable;
}

/**
 * A body that reads from a source, starting only when a reader reads the body. The body fails when its source fails,
 * and destroys its source when the body is destroyed.
 */
export abstract class FilteredBody extends ContainedReadable implements StreamTaker {
  readonly #source: Readable;
  #reading: StreamReading | undefined;

  constructor(source: Readable) {
    super();
    this.#source = source;
  }

  /** Inspects a chunk. @throws HttpError, with which the body fails */
  protected abstract pass(chunk: Buffer): void;

  override _read(): void {
    if (this.#reading === undefined) {
      this.#reading = new StreamReading(this.#source, this);
    } else {
      this.#reading.resume();
    }
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#reading?.stop();
    if (!this.#source.readableEnded) {
      this.#source.destroy();
    }
    done(error);
  }

  data(chunk: Buffer): boolean {
    this.pass(chunk);
    return this.push(chunk);
  }

  end(): void {
    this.push(null);
  }

  failed(error: Error): void {
    this.destroy(error);
  }
}
