import { QuicError, transportErrors } from "../quic-error.ts";
import { ReceiveBuffer } from "./receive-buffer.ts";
import { SendBuffer, type SentPiece } from "./send-buffer.ts";
import { defaultPriority, type StreamPriority } from "./stream-priority.ts";

/** Events of a stream, for the application. The application may call methods of the stream in them. */
export interface StreamHandler {
  /** The next bytes. `consume` allows the peer to send more. */
  onData(bytes: Buffer): void;
  /** All bytes have arrived. */
  onEnd(): void;
  /** Called when the peer has reset its sending side. */
  onReset(code: number): void;
  /** Called when the peer wants no more bytes. This side has then reset the stream with the same code. */
  onStopSending(code: number): void;
  /** Called after `write` returned false, when there is space again. */
  onWritable(): void;
}

/** The part of the connection that streams use. */
export interface StreamHost {
  /** Called when the stream has bytes or an end to send. */
  onSendable(stream: QuicStream): void;
  /** Requests a control frame for the stream. */
  onControlFrame(kind: "resetStream" | "stopSending" | "maxStreamData", stream: QuicStream): void;
  /** Counts received bytes. @throws QuicError FLOW_CONTROL_ERROR above the connection's limit */
  onReceivedBytes(bytes: number): void;
  onConsumedBytes(bytes: number): void;
  /** Called when both directions of the stream are done. */
  onClosed(stream: QuicStream): void;
  /** Called when waiting bytes were sent, so that the host calls `onWritable`. */
  onDrained(stream: QuicStream): void;
  /** Called when the priority of a stream has changed. */
  onPriority(): void;
}

/** Number of waiting bytes from which on `write` returns false. */
const highWaterBytes = 262_144;
/** Number of waiting bytes below which `onWritable` is called. */
const lowWaterBytes = 65_536;

/** True when both sides may send. Source: RFC 9000, section 2.1 */
export const isBidi = (streamId: number): boolean => (streamId & 2) === 0;

/**
 * The direction from the peer.
 *
 * `done`: all bytes were passed on, or the peer has reset the stream, or the application wants no more and the end is
 * known. Source: RFC 9000, section 3.2
 */
interface ReceivingPart {
  readonly buffer: ReceiveBuffer;
  /** Maximum number of bytes that the peer may send beyond the consumed ones. */
  readonly window: number;
  /** Offset that the peer may send up to. */
  limit: number;
  /** Offset after the last byte that the peer sent. */
  highest: number;
  /** Number of bytes that the application has processed. */
  consumed: number;
  /** Size of the whole stream; undefined until the peer has sent its end. */
  finalSize: number | undefined;
  /** Code of STOP_SENDING, once the application wants no more. Later bytes are counted and dropped. */
  stopCode: number | undefined;
  done: boolean;
}

/**
 * The direction to the peer.
 *
 * `done`: the peer has acknowledged all bytes and the end, or the reset. Source: RFC 9000, section 3.1
 */
interface SendingPart {
  readonly buffer: SendBuffer;
  /** Largest offset that the peer allows. */
  limit: number;
  /** True when the application has written the end. */
  ended: boolean;
  /** True when the end was sent, and its packet was not lost. */
  finSent: boolean;
  /** True when the peer has acknowledged the end. */
  finAcked: boolean;
  /** Code of the reset, once the application or the peer has ended this direction early. Bytes are dropped. */
  resetCode: number | undefined;
  /** True when `onWritable` must be called later. */
  held: boolean;
  done: boolean;
}

/** One stream, with one or both directions. Source: RFC 9000, sections 2 to 4 */
export class QuicStream {
  readonly id: number;
  readonly #host: StreamHost;
  readonly #receiving: ReceivingPart | undefined;
  readonly #sending: SendingPart | undefined;
  #priority = defaultPriority;
  handler: StreamHandler | undefined;

  /** @param windows initial limits in bytes for both directions; undefined for a missing direction */
  constructor(
    id: number,
    host: StreamHost,
    windows: { readonly receive: number | undefined; readonly send: number | undefined },
  ) {
    this.id = id;
    this.#host = host;
    const { receive, send } = windows;
    this.#receiving = receive === undefined ? undefined : newReceivingPart(receive);
    this.#sending = send === undefined ? undefined : newSendingPart(send);
  }

  // The application calls these.

  /** @returns false when more should wait for `onWritable` */
  write(bytes: Buffer): boolean {
    const part = this.#sending;
    if (part === undefined || part.ended || part.done || part.resetCode !== undefined) {
      return false;
    }
    part.buffer.write(bytes);
    this.#host.onSendable(this);
    part.held = part.buffer.unsentBytes >= highWaterBytes;
    return !part.held;
  }

  /** Ends the sending side: no more bytes follow. */
  end(): void {
    const part = this.#sending;
    if (part !== undefined && !part.ended && part.resetCode === undefined) {
      part.ended = true;
      this.#host.onSendable(this);
    }
  }

  get priority(): StreamPriority {
    return this.#priority;
  }

  /** Changes the sending order of this stream in relation to other streams of the connection. */
  set priority(priority: StreamPriority) {
    this.#priority = priority;
    this.#host.onPriority();
  }

  /** Ends the sending side early with RESET_STREAM. Unsent bytes are dropped. */
  reset(code: number): void {
    const part = this.#sending;
    if (part === undefined || part.done || part.resetCode !== undefined) {
      return;
    }
    part.resetCode = code;
    part.held = false;
    this.#finalSize = part.buffer.sentEnd;
    part.buffer.clear();
    this.#host.onControlFrame("resetStream", this);
  }

  /** Asks the peer with STOP_SENDING to send no more. */
  stopReading(code: number): void {
    const part = this.#receiving;
    if (part === undefined || part.stopCode !== undefined) {
      return;
    }
    part.stopCode = code;
    part.buffer.clear();
    this.#creditAll(part);
    if (part.done) {
      return;
    }
    if (part.finalSize === undefined) {
      this.#host.onControlFrame("stopSending", this);
    } else {
      this.#finishReceiving(part);
    }
  }

  /**
   * The application has processed this many bytes of `onData`. It must report all bytes, even after the end; otherwise
   * the connection's window shrinks.
   */
  consume(bytes: number): void {
    const part = this.#receiving;
    if (part === undefined) {
      return;
    }
    const counted = Math.min(bytes, part.highest - part.consumed);
    part.consumed += counted;
    this.#host.onConsumedBytes(counted);
    if (
      part.stopCode === undefined &&
      part.finalSize === undefined &&
      part.limit - part.consumed < part.window / 2
    ) {
      part.limit = part.consumed + part.window;
      this.#host.onControlFrame("maxStreamData", this);
    }
  }

  /** Number of bytes that were never sent. */
  get unsentBytes(): number {
    return this.#sending?.buffer.unsentBytes ?? 0;
  }

  // The connection calls these.

  receive(offset: number, bytes: Buffer, fin: boolean): void {
    const part = this.#receiving as ReceivingPart;
    const end = offset + bytes.length;
    const { finalSize } = part;
    if (
      (finalSize !== undefined && (end > finalSize || (fin && end !== finalSize))) ||
      (fin && end < part.highest)
    ) {
      throw new QuicError(transportErrors.finalSizeError, `the size of stream ${this.id} changed`);
    }
    if (part.done) {
      return;
    }
    this.#growTo(part, end);
    if (fin) {
      part.finalSize = end;
    }
    if (part.stopCode !== undefined) {
      this.#creditAll(part);
      if (fin) {
        this.#finishReceiving(part);
      }
      return;
    }
    for (const ready of part.buffer.push(offset, bytes)) {
      this.handler?.onData(ready);
    }
    if (part.buffer.nextOffset === part.finalSize && part.stopCode === undefined) {
      this.#finishReceiving(part);
      this.handler?.onEnd();
    }
  }

  /**
   * RESET_STREAM arrived: bytes that were not passed on are dropped. @throws QuicError FINAL_SIZE_ERROR,
   * FLOW_CONTROL_ERROR
   */
  receiveReset(code: number, finalSize: number): void {
    const part = this.#receiving as ReceivingPart;
    if ((part.finalSize !== undefined && finalSize !== part.finalSize) || finalSize < part.highest) {
      throw new QuicError(transportErrors.finalSizeError, `the size of stream ${this.id} changed`);
    }
    if (part.done) {
      return;
    }
    this.#growTo(part, finalSize);
    part.finalSize = finalSize;
    part.buffer.clear();
    this.#creditAll(part);
    this.#finishReceiving(part);
    this.handler?.onReset(code);
  }

  /** STOP_SENDING arrived: the stream is reset with the peer's code. Source: RFC 9000, section 3.5 */
  receiveStopSending(code: number): void {
    const part = this.#sending as SendingPart;
    if (part.done || part.resetCode !== undefined) {
      return;
    }
    this.reset(code);
    this.handler?.onStopSending(code);
  }

  /** MAX_STREAM_DATA arrived; a smaller limit than before is ignored. */
  receiveLimit(limit: number): void {
    const part = this.#sending as SendingPart;
    if (limit > part.limit) {
      part.limit = limit;
      if (!part.done) {
        this.#host.onSendable(this);
      }
    }
  }

  /** Offset that the peer may send up to. */
  get creditLimit(): number {
    return this.#receiving?.limit ?? 0;
  }

  get resetFrame(): { readonly code: number; readonly finalSize: number } {
    return { code: this.#sending?.resetCode ?? 0, finalSize: this.#finalSize };
  }

  get stopCode(): number {
    return this.#receiving?.stopCode ?? 0;
  }

  /** True while the peer may still need a larger limit. */
  get isReceiving(): boolean {
    const part = this.#receiving;
    return part !== undefined && !part.done && part.finalSize === undefined && part.stopCode === undefined;
  }

  #finalSize = 0;

  /**
   * Takes the next piece to send.
   * @param newBytes number of bytes that the connection's flow control allows to send for the first time
   */
  take(maxBytes: number, newBytes: number): { piece: SentPiece; fin: boolean } | undefined {
    const part = this.#sending;
    if (part === undefined || part.done || part.resetCode !== undefined) {
      return undefined;
    }
    const { buffer } = part;
    const piece = buffer.take(maxBytes, Math.min(part.limit, buffer.sentEnd + newBytes));
    if (part.held && buffer.unsentBytes < lowWaterBytes) {
      part.held = false;
      this.#host.onDrained(this);
    }
    const last = piece === undefined ? buffer.sentEnd : piece.offset + piece.length;
    const fin = part.ended && last === buffer.end && (!part.finSent || piece !== undefined);
    if (piece === undefined && !fin) {
      return undefined;
    }
    part.finSent ||= fin;
    return { piece: piece ?? { offset: last, length: 0 }, fin };
  }

  /** True when `take` may return something, apart from the connection's flow control. */
  get isSendable(): boolean {
    const part = this.#sending;
    if (part === undefined || part.done || part.resetCode !== undefined) {
      return false;
    }
    const { buffer } = part;
    return (
      buffer.hasLost || (buffer.unsentBytes > 0 ? buffer.sentEnd < part.limit : part.ended && !part.finSent)
    );
  }

  get hasLost(): boolean {
    return this.#sending?.buffer.hasLost ?? false;
  }

  /** Offset after the last byte that was sent. */
  get sentEnd(): number {
    return this.#sending?.buffer.sentEnd ?? 0;
  }

  read(piece: SentPiece, use: (bytes: Buffer) => void): void {
    this.#sending?.buffer.read(piece, use);
  }

  onAcked(piece: SentPiece, fin: boolean): void {
    const part = this.#sending as SendingPart;
    if (part.done || part.resetCode !== undefined) {
      return;
    }
    part.buffer.onAcked(piece);
    part.finAcked ||= fin;
    if (part.finAcked && part.buffer.isAcked) {
      this.#finishSending(part);
    }
  }

  onLost(piece: SentPiece, fin: boolean): void {
    const part = this.#sending as SendingPart;
    if (part.done || part.resetCode !== undefined) {
      return;
    }
    part.buffer.onLost(piece);
    if (fin && !part.finAcked) {
      part.finSent = false;
    }
    this.#host.onSendable(this);
  }

  onResetAcked(): void {
    const part = this.#sending as SendingPart;
    if (!part.done) {
      this.#finishSending(part);
    }
  }

  /** Counts bytes up to an offset for both limits. @throws QuicError FLOW_CONTROL_ERROR above one of them */
  #growTo(part: ReceivingPart, end: number): void {
    if (end > part.limit) {
      throw new QuicError(transportErrors.flowControlError, `stream ${this.id} is beyond its limit`);
    }
    if (end > part.highest) {
      this.#host.onReceivedBytes(end - part.highest);
      part.highest = end;
    }
  }

  /** Bytes that nobody will consume must not use up the connection's window. */
  #creditAll(part: ReceivingPart): void {
    this.#host.onConsumedBytes(part.highest - part.consumed);
    part.consumed = part.highest;
  }

  #finishReceiving(part: ReceivingPart): void {
    part.done = true;
    this.#closeIfDone();
  }

  #finishSending(part: SendingPart): void {
    part.done = true;
    part.buffer.clear();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if ((this.#receiving?.done ?? true) && (this.#sending?.done ?? true)) {
      this.#host.onClosed(this);
    }
  }
}

function newReceivingPart(window: number): ReceivingPart {
  return {
    buffer: new ReceiveBuffer(),
    window,
    limit: window,
    highest: 0,
    consumed: 0,
    finalSize: undefined,
    stopCode: undefined,
    done: false,
  };
}

function newSendingPart(limit: number): SendingPart {
  return {
    buffer: new SendBuffer(),
    limit,
    ended: false,
    finSent: false,
    finAcked: false,
    resetCode: undefined,
    held: false,
    done: false,
  };
}
