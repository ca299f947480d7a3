import { encodeWindowUpdate, errorCodes } from "../http2/frames.ts";
import { Http2Error } from "../http2/http2-error.ts";
import type { FrameWriter } from "./frame-writer.ts";

/** Bytes of one body that a client may send before it gets a larger window. */
export const streamWindowBytes: number = 1024 * 1024;

/** A stream whose body comes. */
export interface ReceivingStream {
  /** Number of the stream, for its WINDOW_UPDATE. */
  readonly id: number;
  /** After END_STREAM no window is given back: the client sends no more. */
  readonly requestEnded: boolean;
  /** Bytes that the client may still send before it gets a larger window. */
  receiveWindowBytes: number;
  /** Bytes that were used up and of which the client was not told yet. */
  untoldBytes: number;
}

/** The bytes that a client may send on one connection. It gets a larger window when a quarter is free. */
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

  /** Bytes came. @throws Http2Error FLOW_CONTROL_ERROR */
  take(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) {
      throw new Http2Error(errorCodes.flowControlError, "DATA over the window");
    }
  }

  /** Bytes were consumed. @param stream undefined when they belong to no stream */
  release(bytes: number, stream?: ReceivingStream): void {
    this.#untoldBytes += bytes;
    if (this.#untoldBytes >= this.#tellBytes) {
      this.#bytes += this.#untoldBytes;
      this.#writer.frame(encodeWindowUpdate(0, this.#untoldBytes));
      this.#untoldBytes = 0;
    }
    if (stream !== undefined && !stream.requestEnded) {
      stream.untoldBytes += bytes;
      if (stream.untoldBytes >= streamWindowBytes / 4) {
        stream.receiveWindowBytes += stream.untoldBytes;
        this.#writer.frame(encodeWindowUpdate(stream.id, stream.untoldBytes));
        stream.untoldBytes = 0;
      }
    }
  }
}
