import type { FrameWriter } from "./frame-writer.ts";
import { encodeWindowUpdate, errorCodes } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";

/** Bytes of one body that the peer may send until a WINDOW_UPDATE gives consumed bytes back. */
export const streamWindowBytes: number = 1024 * 1024;

/** A stream whose body is being received. */
export interface ReceivingStream {
  /** Number of the stream, for its WINDOW_UPDATE. */
  readonly id: number;
  /** Bytes that the peer may still send until the next WINDOW_UPDATE. */
  receiveWindowBytes: number;
  /** Consumed bytes that no WINDOW_UPDATE has given back yet. */
  untoldBytes: number;
}

/**
 * The bytes that the peer may send on one connection. Consumed bytes are given back by WINDOW_UPDATE once they are a
 * quarter of the window. That restores the window, and never makes it larger than at first. RFC 9113, section 5.2
 */
export class ReceiveWindow {
  readonly #writer: FrameWriter;
  readonly #tellBytes: number;
  #bytes: number;
  #untoldBytes = 0;

  /** @param wholeBytes for all bodies of the connection together */
  constructor(writer: FrameWriter, wholeBytes: number) {
    this.#writer = writer;
    this.#bytes = wholeBytes;
    this.#tellBytes = wholeBytes / 4;
  }

  /** Bytes arrived. @throws Http2Error FLOW_CONTROL_ERROR */
  take(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) {
      throw new Http2Error(errorCodes.flowControlError, "DATA over the window");
    }
  }

  /** Bytes were consumed. @param stream undefined when they belong to no stream, or when its peer sends no more */
  release(bytes: number, stream?: ReceivingStream): void {
    this.#untoldBytes += bytes;
    if (this.#untoldBytes >= this.#tellBytes) {
      this.#bytes += this.#untoldBytes;
      this.#writer.frame(encodeWindowUpdate(0, this.#untoldBytes));
      this.#untoldBytes = 0;
    }
    if (stream !== undefined) {
      this.releaseStream(bytes, stream);
    }
  }

  /** Bytes of a stream were consumed, whose share of the connection's window was given back before. */
  releaseStream(bytes: number, stream: ReceivingStream): void {
    stream.untoldBytes += bytes;
    if (stream.untoldBytes >= streamWindowBytes / 4) {
      stream.receiveWindowBytes += stream.untoldBytes;
      this.#writer.frame(encodeWindowUpdate(stream.id, stream.untoldBytes));
      stream.untoldBytes = 0;
    }
  }
}
