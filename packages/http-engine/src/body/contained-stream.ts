import type { EventEmitter } from "node:events";
import { Readable, type ReadableOptions } from "node:stream";

function stay(): void {}

/**
 * Adds an error listener, because an error without a listener would end the whole thread. Readers still get
 * the error; later readers find it in `errored`.
 */
export function contain<Stream extends EventEmitter>(stream: Stream): Stream {
  if (stream.listenerCount("error", stay) === 0) {
    stream.on("error", stay);
  }
  return stream;
}

/** A readable stream that may fail while nothing listens. */
export class ContainedReadable extends Readable {
  constructor(options?: ReadableOptions) {
    super(options);
    contain(this);
  }
}

/** The stream itself; for a stream that has ended, a new stream that emits the same end or error. */
export function stillToRead(stream: Readable): Readable {
  if (!stream.destroyed && !stream.readableEnded) {
    return stream;
  }
  const again = new BytesReadable(new Uint8Array());
  return stream.readableEnded && stream.errored === null
    ? again
    : again.destroy(stream.errored ?? new Error("the body was let go before its end"));
}

/** Bytes that are completely available, as a stream. */
export class BytesReadable extends ContainedReadable {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.#bytes = bytes;
  }

  override _read(): void {
    if (this.#bytes.length > 0) {
      this.push(this.#bytes);
    }
    this.push(null);
  }
}
