import { ownCopy } from "../quic/wire/own-copy.ts";
import { Http3Error, http3Errors } from "./http3-error.ts";

/** Types of HTTP/3 frames. Source: RFC 9114, section 7.2 */
export const frameTypes = {
  data: 0x00,
  headers: 0x01,
  cancelPush: 0x03,
  settings: 0x04,
  pushPromise: 0x05,
  goAway: 0x07,
  maxPushId: 0x0d,
  /** Source: RFC 9218, section 7.2 */
  priorityUpdate: 0xf0700,
  priorityUpdateOfPush: 0xf0701,
} as const;

/** Frames of HTTP/2 that must not occur. Source: RFC 9114, section 7.2.8 */
const ofHttp2: ReadonlySet<number> = new Set([0x02, 0x06, 0x08, 0x09]);
const known: ReadonlySet<number> = new Set(Object.values(frameTypes));

/** Receives the frames of a stream. */
export interface FrameHandler {
  /** Called at the start of a frame. May throw when the frame is not allowed now. Unknown types cause no call. */
  onFrame(type: number, length: number): void;
  /** Called with a piece of a DATA frame. */
  onBody(bytes: Buffer): void;
  /** Called with the whole payload of another frame; undefined for a frame above the limit, which was skipped. */
  onPayload(type: number, payload: Buffer | undefined): void;
  /** Called when bytes of frame heads, or of frames other than DATA, were consumed. */
  onConsumed(bytes: number): void;
  /** Called for a frame without effect: an unknown type, or DATA without bytes. */
  onIdleFrame(): void;
}

/** Splits the bytes of a stream into frames. It buffers a frame of at most `maxPayloadBytes`, but never DATA. */
export class Http3FrameReader {
  readonly #handler: FrameHandler;
  readonly #maxPayloadBytes: number;
  /** Bytes of an incomplete type and length: 15 at most. */
  #head: Buffer = Buffer.alloc(0);
  #type = -1;
  /** Bytes of the frame that have not arrived yet. */
  #left = 0;
  #pieces: Buffer[] | undefined;
  #isPaused = false;
  /** Bytes that arrived after `pause`. They do not count as consumed, so flow control limits them. */
  #held: Buffer[] = [];

  constructor(handler: FrameHandler, maxPayloadBytes: number) {
    this.#handler = handler;
    this.#maxPayloadBytes = maxPayloadBytes;
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#isPaused) {
        this.#held.push(bytes.subarray(at));
        return;
      }
      at += this.#type < 0 ? this.#readHead(bytes, at) : this.#readPayload(bytes, at);
    }
  }

  /** Stops after the frame whose payload was passed on last. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Processes the bytes that arrived meanwhile, until the next `pause`. */
  resume(): void {
    this.#isPaused = false;
    for (const bytes of this.#held.splice(0)) {
      this.push(bytes);
    }
  }

  /** Called at the end of the stream. @throws Http3Error H3_FRAME_ERROR within a frame */
  end(): void {
    if (this.#type >= 0 || this.#head.length > 0) {
      throw new Http3Error(http3Errors.frameError, "a stream ends within a frame");
    }
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#head.length;
    // 16 bytes are enough for the longest type and length.
    const head =
      before === 0 ? bytes.subarray(at, at + 16) : Buffer.concat([this.#head, bytes.subarray(at, at + 16)]);
    const type = varintAt(head, 0);
    const length = type && varintAt(head, type.bytes);
    if (type === undefined || length === undefined) {
      // `at + 16` was beyond the end, so all remaining bytes belong to the head.
      this.#handler.onConsumed(head.length - before);
      this.#head = ownCopy(head);
      return head.length - before;
    }
    const used = type.bytes + length.bytes - before;
    this.#head = Buffer.alloc(0);
    this.#handler.onConsumed(used);
    this.#begin(type.value, length.value);
    return used;
  }

  #begin(type: number, length: number): void {
    if (ofHttp2.has(type)) {
      throw new Http3Error(http3Errors.frameUnexpected, `frame ${type} of HTTP/2`);
    }
    this.#type = type;
    this.#left = length;
    if (!known.has(type)) {
      this.#handler.onIdleFrame();
    } else {
      this.#handler.onFrame(type, length);
      if (type !== frameTypes.data) {
        this.#pieces = length <= this.#maxPayloadBytes ? [] : undefined;
      } else if (length === 0) {
        this.#handler.onIdleFrame();
      }
    }
    if (length === 0) {
      this.#finish();
    }
  }

  #readPayload(bytes: Buffer, at: number): number {
    const piece = bytes.subarray(at, at + this.#left);
    this.#left -= piece.length;
    if (this.#type === frameTypes.data) {
      this.#handler.onBody(piece);
    } else {
      this.#handler.onConsumed(piece.length);
      this.#pieces?.push(piece);
    }
    if (this.#left === 0) {
      this.#finish();
    }
    return piece.length;
  }

  #finish(): void {
    const type = this.#type;
    const pieces = this.#pieces;
    this.#type = -1;
    this.#pieces = undefined;
    if (known.has(type) && type !== frameTypes.data) {
      const payload = pieces?.length === 1 ? pieces[0] : pieces && Buffer.concat(pieces);
      this.#handler.onPayload(type, payload);
    }
  }
}

/** Reads a variable-length integer. @returns undefined while it is incomplete; values are limited to 2^53 - 1 */
export function varintAt(bytes: Buffer, at: number): { value: number; bytes: number } | undefined {
  const first = bytes[at];
  if (first === undefined) {
    return undefined;
  }
  const length = 1 << (first >> 6);
  if (at + length > bytes.length) {
    return undefined;
  }
  let value = first & 0x3f;
  for (let index = 1; index < length; index++) {
    value = value * 256 + (bytes[at + index] as number);
  }
  return { value: Math.min(value, Number.MAX_SAFE_INTEGER), bytes: length };
}
