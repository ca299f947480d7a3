import type { FrameWriter } from "./frame-writer.ts";
import { encodeWindowUpdate, errorCodes } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";

/** Window of one stream: bytes of a body that the peer may send before a WINDOW_UPDATE. */
export const streamWindowBytes: number = 1024 * 1024;

/** A stream whose body is being received. */
export interface ReceivingStream {
  /** Stream ID, for its WINDOW_UPDATE. */
  readonly id: number;
  /** Bytes that the peer may still send until the next WINDOW_UPDATE. */
  receiveWindowBytes: number;
  /** Consumed bytes that no WINDOW_UPDATE has reported yet. */
  untoldBytes: number;
}

/**
 * The bytes that the peer may send on one connection. Consumed bytes are reported by WINDOW_UPDATE when they reach a
 * quarter of the window. The update restores the window, but never enlarges it. RFC 9113, section 5.2
 */
export class ReceiveWindow {
  readonly #writer: FrameWriter;
  readonly #tellBytes: number;
  #bytes: number;
  #untoldBytes = 0;

  /** @param wholeBytes window for all bodies of the connection together */
  constructor(writer: FrameWriter, wholeBytes: number) {
    this.#writer = writer;
    this.#bytes = wholeBytes;
    this.#tellBytes = wholeBytes / 4;
  }

  /** Counts arrived bytes. @throws Http2Error FLOW_CONTROL_ERROR */
  take(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) {
      throw new Http2Error(errorCodes.flowControlError, "DATA over the window");
    }
  }

  /** Counts consumed bytes. @param stream undefined for bytes without a stream, or when the peer has ended the stream */
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

  /** Counts consumed bytes only for their stream. The connection's window was restored earlier. */
  releaseStream(bytes: number, stream: ReceivingStream): void {
    stream.untoldBytes += bytes;
    if (stream.untoldBytes >= streamWindowBytes / 4) {
      stream.receiveWindowBytes += stream.untoldBytes;
      this.#writer.frame(encodeWindowUpdate(stream.id, stream.untoldBytes));
      stream.untoldBytes = 0;
    }
  }
}
