import { defaultMaxFrameBytes, errorCodes, frameHeaderBytes } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";

/** One frame; the payload is a view that must not be kept past the callback. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** Cuts what a socket brings into frames; between two calls it keeps less than one frame. */
export class FrameReader {
  #rest: Buffer | undefined;

  /** @throws Http2Error for a frame of more than 16,384 bytes */
  read(chunk: Buffer, onFrame: (frame: Frame) => void): void {
    let bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    while (bytes.length >= frameHeaderBytes) {
      const length = bytes.readUIntBE(0, 3);
      if (length > defaultMaxFrameBytes) {
        throw new Http2Error(
          errorCodes.frameSizeError,
          `a frame of ${length} bytes is over ${defaultMaxFrameBytes}`,
        );
      }
      const end = frameHeaderBytes + length;
      if (bytes.length < end) {
        break;
      }
      onFrame({
        type: bytes.readUInt8(3),
        flags: bytes.readUInt8(4),
        streamId: bytes.readUInt32BE(5) & 0x7fff_ffff,
        payload: bytes.subarray(frameHeaderBytes, end),
      });
      bytes = bytes.subarray(end);
    }
    if (bytes.length > 0) {
      this.#rest = bytes;
    }
  }
}
