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
  /** The peer gave up sending. */
  onReset(code: number): void;
  /** The peer wants no more bytes; the stream was reset with this code. */
  onStopSending(code: number): void;
  /** After `write` returned false: there is space again. */
  onWritable(): void;
}

/** The connection, as its streams see it. */
export interface StreamHost {
  /** The stream has something to send. */
  onSendable(stream: QuicStream): void;
  /** A frame about the stream must be sent. */
  onControlFrame(kind: "resetStream" | "stopSending" | "maxStreamData", stream: QuicStream): void;
  /** @throws QuicError FLOW_CONTROL_ERROR for more than the connection's limit */
  onReceivedBytes(bytes: number): void;
  onConsumedBytes(bytes: number): void;
  /** Neither side will send about it again. */
  onClosed(stream: QuicStream): void;
  /** Held bytes were sent, so `onWritable` must be called. */
  onDrained(stream: QuicStream): void;
  /** The order of sending changed. */
  onPriority(): void;
}

/** Bytes that wait to be sent from which on `write` answers false. */
const highWaterBytes = 262_144;
/** Bytes that wait to be sent below which `onWritable` is called. */
const lowWaterBytes = 65_536;

/** True when both sides may send. Source: RFC 9000, section 2.1 */
export const isBidi = (streamId: number): boolean => (streamId & 2) === 0;

/**
 * The direction from the peer.
 *
 * `done`: all bytes were handed on, or the peer gave up, or the application wants no more and the peer's end is
 * known. Source: RFC 9000, section 3.2
 */
interface ReceivingPart {
  readonly buffer: ReceiveBuffer;
  /** Bytes that the peer may be ahead of the application. */
  readonly window: number;
  /** Offset that the peer may send up to. */
  limit: number;
  /** Offset after the last byte that the peer sent. */
  highest: number;
  /** Bytes that the application has dealt with. */
  consumed: number;
  /** Size of the whole stream; undefined until the peer has sent its end. */
  finalSize: number | undefined;
  /** The application wants no more: bytes are counted and dropped. */
  stopCode: number | undefined;
  done: boolean;
}

/**
 * The direction to the peer.
 *
 * `done`: the peer has all bytes and the end, or it has the reset. Source: RFC 9000, section 3.1
 */
interface SendingPart {
  readonly buffer: SendBuffer;
  /** Largest offset that the peer allows. */
  limit: number;
  /** The application has no more bytes. */
  ended: boolean;
  /** The end was sent, and not lost since. */
  finSent: boolean;
  /** The peer has the end. */
  finAcked: boolean;
  /** The application gave up with this code; bytes are dropped. */
  resetCode: number | undefined;
  /** True when `onWritable` must be called later. */
  held: boolean;
  done: boolean;
}

/** One stream, both directions or one. Source: RFC 9000, sections 2 to 4 */
export class QuicStream {
  readonly id: number;
  readonly #host: StreamHost;
  readonly #receiving: ReceivingPart | undefined;
  readonly #sending: SendingPart | undefined;
  #priority = defaultPriority;
  handler: StreamHandler | undefined;

  /** @param windows what the peer may send, and what it allows this side to send; undefined for a missing direction */
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

  /** No more bytes follow. */
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

  /** Gives up sending. */
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

  /** Asks the peer to send no more. */
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

  /** Bytes that wait to be sent for the first time. */
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

  /** True when a new limit for receiving is still useful for the peer. */
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
