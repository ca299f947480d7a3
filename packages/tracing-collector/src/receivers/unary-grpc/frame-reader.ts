import { clientPreface, defaultFrameBytes, errorCodes, frameHeaderBytes } from "wire/http2";
import { ConnectionError } from "./connection-error.ts";

/** Gets the frames of a connection, whole. The payload is a view that is good during the call only. */
export interface FrameSink {
  frame(type: number, flags: number, streamId: number, payload: Buffer): void;
}

/**
 * Cuts what a client sends into frames, the preface checked. A frame that lies within one chunk is not copied.
 * Source: RFC 9113, sections 3.4 and 4.1
 */
export class FrameReader {
  readonly #sink: FrameSink;
  /** The beginning of a frame whose rest is still to come. */
  readonly #partial = Buffer.allocUnsafeSlow(frameHeaderBytes + defaultFrameBytes);
  #partialBytes = 0;
  #prefaceBytes = 0;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** Whether the client has sent the whole preface. */
  get hasBegun(): boolean {
    return this.#prefaceBytes === clientPreface.length;
  }

  /** @throws ConnectionError PROTOCOL_ERROR for another preface, FRAME_SIZE_ERROR; whatever the sink throws */
  push(chunk: Buffer): void {
    let at = this.hasBegun ? 0 : this.#preface(chunk);
    while (at < chunk.length) {
      if (this.#partialBytes > 0) {
        at = this.#complete(chunk, at);
        continue;
      }
      const end = at + frameHeaderBytes <= chunk.length ? frameEnd(chunk, at) : Number.POSITIVE_INFINITY;
      if (end > chunk.length) {
        chunk.copy(this.#partial, 0, at);
        this.#partialBytes = chunk.length - at;
        return;
      }
      this.#deliver(chunk, at, end);
      at = end;
    }
  }

  /** @returns index of the first byte behind the preface */
  #preface(chunk: Buffer): number {
    const length = Math.min(chunk.length, clientPreface.length - this.#prefaceBytes);
    const start = this.#prefaceBytes;
    if (clientPreface.compare(chunk, 0, length, start, start + length) !== 0) {
      throw new ConnectionError(errorCodes.protocolError, "the connection does not begin with HTTP/2");
    }
    this.#prefaceBytes += length;
    return length;
  }

  /** Adds to the partial frame, and delivers it when it is whole. @returns index of the first byte behind it */
  #complete(chunk: Buffer, start: number): number {
    let at = start;
    if (this.#partialBytes < frameHeaderBytes) {
      at += this.#take(chunk, at, frameHeaderBytes);
      if (this.#partialBytes < frameHeaderBytes) return at;
    }
    const end = frameEnd(this.#partial, 0);
    at += this.#take(chunk, at, end);
    if (this.#partialBytes === end) {
      this.#partialBytes = 0;
      this.#deliver(this.#partial, 0, end);
    }
    return at;
  }

  #take(chunk: Buffer, at: number, wanted: number): number {
    const copied = chunk.copy(this.#partial, this.#partialBytes, at, at + wanted - this.#partialBytes);
    this.#partialBytes += copied;
    return copied;
  }

  #deliver(bytes: Buffer, start: number, end: number): void {
    const type = bytes[start + 3] as number;
    const flags = bytes[start + 4] as number;
    const streamId = bytes.readUInt32BE(start + 5) & 0x7fff_ffff;
    this.#sink.frame(type, flags, streamId, bytes.subarray(start + frameHeaderBytes, end));
  }
}

/** @throws ConnectionError FRAME_SIZE_ERROR: we never allow more than the default */
function frameEnd(bytes: Buffer, start: number): number {
  const length = bytes.readUIntBE(start, 3);
  if (length > defaultFrameBytes) {
    throw new ConnectionError(
      errorCodes.frameSizeError,
      `frame of ${length} bytes is over the limit of ${defaultFrameBytes}`,
    );
  }
  return start + frameHeaderBytes + length;
}
