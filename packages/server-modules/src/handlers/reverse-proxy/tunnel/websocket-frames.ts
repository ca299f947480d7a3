import { randomBytes } from "node:crypto";

/** Opcode of a close frame. Source: RFC 6455, section 5.2 */
const closeOpcode = 8;
/** The status "going away". Source: RFC 6455, section 7.4.1 */
const goingAway = 1001;

/**
 * Follows the frames of a WebSocket in one direction, so that a frame of this server is never inserted into another
 * frame. A head has 2 bytes, plus 2 or 8 bytes for a long payload, plus 4 bytes for a client's mask. Each byte may
 * arrive in a separate chunk.
 */
export class WebSocketFrames {
  /** Received bytes of the current frame head. */
  #headBytes = 0;
  /** Length of the head in bytes; 2 until the second byte determines the length. */
  #headLength = 2;
  /** Offset of the end of an extended length field. */
  #lengthEnd = 0;
  /** Payload length of the current frame. */
  #length = 0;
  /** Missing bytes of the current payload. */
  #left = 0;
  /** Opcode of the current frame. */
  #opcode = 0;
  /** True after a close frame: no frame may follow. */
  hasClosed = false;

  /** True when the last frame is complete. */
  get isBetween(): boolean {
    return this.#headBytes === 0 && this.#left === 0;
  }

  /** Advances over bytes that were sent. */
  follow(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      at = this.#step(chunk, at);
    }
  }

  /**
   * Like {@link follow}, but only up to the end of the current frame.
   * @returns the number of bytes up to that end; -1 when the frame does not end in this chunk
   */
  followToEnd(chunk: Uint8Array): number {
    for (let at = 0; at < chunk.length; ) {
      at = this.#step(chunk, at);
      if (this.isBetween) {
        return at;
      }
    }
    return -1;
  }

  /**
   * Reads at most to the end of one part of a frame: a head byte or the payload. @returns the offset of the next byte
   */
  #step(chunk: Uint8Array, at: number): number {
    if (this.#left > 0) {
      const taken = Math.min(this.#left, chunk.length - at);
      this.#left -= taken;
      this.#ended();
      return at + taken;
    }
    this.#takeHeadByte(chunk[at] ?? 0);
    if (this.#headBytes === this.#headLength) {
      this.#left = this.#length;
      this.#headBytes = 0;
      this.#headLength = 2;
      this.#ended();
    }
    return at + 1;
  }

  /** Source: RFC 6455, section 5.2 */
  #takeHeadByte(byte: number): void {
    if (this.#headBytes === 0) {
      this.#opcode = byte & 0x0f;
    } else if (this.#headBytes === 1) {
      const length = byte & 0x7f;
      this.#lengthEnd = 2 + (length === 126 ? 2 : length === 127 ? 8 : 0);
      this.#headLength = this.#lengthEnd + ((byte & 0x80) === 0 ? 0 : 4);
      this.#length = length < 126 ? length : 0;
    } else if (this.#headBytes < this.#lengthEnd) {
      this.#length = this.#length * 256 + byte;
    }
    this.#headBytes++;
  }

  /** Records a close frame when its payload has passed. */
  #ended(): void {
    this.hasClosed ||= this.#left === 0 && this.#opcode === closeOpcode;
  }
}

/**
 * Creates a close frame with the status "going away".
 * @param isMasked true for a frame to a server: clients must mask their frames
 */
export function closeFrame(isMasked: boolean): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(goingAway);
  if (!isMasked) {
    return Buffer.concat([Buffer.from([0x80 | closeOpcode, payload.length]), payload]);
  }
  const mask = randomBytes(4);
  const masked = payload.map((byte, index) => byte ^ (mask[index] ?? 0));
  return Buffer.concat([Buffer.from([0x80 | closeOpcode, 0x80 | payload.length]), mask, masked]);
}
