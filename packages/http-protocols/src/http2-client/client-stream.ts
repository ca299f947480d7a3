import type { HeaderList } from "../header-list.ts";
import { errorCodes } from "../http2/frames.ts";
import type { HeaderField } from "../http2/header-field.ts";
import type { ReceivingStream } from "../http2/receive-window.ts";
import { SendQueue } from "../http2/send-queue.ts";
import type { SendingStream } from "../http2/send-scheduler.ts";
import { HeldData } from "./held-data.ts";
import { readResponseHead, readResponseTrailers } from "./response-fields.ts";
import type { StreamError } from "./stream-error.ts";

/**
 * Receives the response to one request. Order of the calls: any number of `interim`, `head`, any number of `data`,
 * `end`. `failed` may come at any time. Nothing follows `end`, `failed` or a cancel. No method of a listener may throw.
 */
export interface ResponseListener {
  /** Called for a response with status 1xx. The final response follows. */
  interim(status: number, headers: HeaderList): void;
  /** Called for the head of the final response. @param endsStream true: no data follows, only `end`, immediately */
  head(status: number, headers: HeaderList, endsStream: boolean): void;
  /**
   * Called with data of the body. @param chunk the listener may keep it. @returns false to get no more data until
   * `resume`
   */
  data(chunk: Buffer): boolean;
  /** Called at the end of the response. @param trailers fields after the body */
  end(trailers: HeaderList): void;
  failed(error: StreamError): void;
}

/** The part of the connection that a stream uses. */
export interface StreamCarrier {
  /** Called when the stream's queue has data or an end to send. */
  queued(stream: ClientStream): void;
  /** Called when bytes of the response were passed on, so that the window can be restored. */
  taken(stream: ClientStream, bytes: number): void;
  /** Resets the stream with RST_STREAM, and forgets it. */
  breakOff(stream: ClientStream, errorCode: number): void;
}

/** Facts about a request that are known before its response arrives. */
interface StreamStart {
  /** HTTP/2 id of the stream. */
  readonly id: number;
  /** True for a HEAD request: its response has no body, even if it declares a length. */
  readonly isHead: boolean;
  /** True when the request has neither body nor trailers. */
  readonly endsStream: boolean;
  /** Initial window of the request's body in bytes, from the server. */
  readonly sendBytes: number;
  /** Initial window of the response's body in bytes, granted by this side. */
  readonly receiveBytes: number;
}

/** Statuses whose responses have no body. Source: RFC 9110, section 6.4.1 */
const bodiless: ReadonlySet<number> = new Set([204, 304]);

/** One request and its response, on the client's side. */
export class ClientStream implements SendingStream, ReceivingStream {
  readonly id: number;
  /** DATA of the request that waits for a window. */
  readonly sending: SendQueue;
  receiveWindowBytes: number;
  untoldBytes = 0;
  readonly #carrier: StreamCarrier;
  readonly #listener: ResponseListener;
  readonly #isHead: boolean;
  readonly #held = new HeldData();
  #trailers: HeaderList = [];
  #requestSent: boolean;
  #headCame = false;
  /** Bytes of the declared body that have not arrived yet; undefined when the length is unknown. */
  #leftBytes: number | undefined;
  /** Trailers of a complete response, kept until all its data is passed on. */
  #ended: HeaderList | undefined;
  #isPaused = false;
  #isHanding = false;
  #isOver = false;

  constructor(carrier: StreamCarrier, listener: ResponseListener, start: StreamStart) {
    this.#carrier = carrier;
    this.#listener = listener;
    this.id = start.id;
    this.#isHead = start.isHead;
    this.#requestSent = start.endsStream;
    this.sending = new SendQueue(start.id, start.sendBytes);
    this.receiveWindowBytes = start.receiveBytes;
  }

  // For the client

  /**
   * Sends a part of the body. @param chunk must not change until it is sent. @returns false when the caller must wait
   * for `onceDrain` before the next write
   */
  write(chunk: Uint8Array): boolean {
    if (this.#isOver || this.#requestSent || chunk.length === 0) {
      return true;
    }
    this.sending.push(chunk);
    this.#carrier.queued(this);
    return !this.sending.isFull;
  }

  /** Ends the request. @param trailers checked fields that follow its body */
  end(trailers: HeaderList = []): void {
    if (!this.#isOver && !this.#requestSent) {
      this.#trailers = trailers;
      this.sending.end();
      this.#carrier.queued(this);
    }
  }

  /** Calls back when the stream accepts more of the body. */
  onceDrain(callback: () => void): void {
    this.sending.onceDrain(callback);
  }

  /** Passes on more of the response, after `data` returned false. */
  resume(): void {
    this.#isPaused = false;
    this.#handOn();
  }

  /** Cancels the request. The listener is not called any more. */
  cancel(): void {
    if (!this.#isOver) {
      this.#finish();
      this.#carrier.breakOff(this, errorCodes.cancel);
    }
  }

  // Called by the connection

  get trailers(): HeaderList {
    return this.#trailers;
  }

  /** True when the frame that ends the request was sent. */
  get requestSent(): boolean {
    return this.#requestSent;
  }

  allSent(): void {
    this.#requestSent = true;
  }

  /** Processes a header block. @returns its fault; "" for a valid block */
  receiveHeaders(fields: readonly HeaderField[], endsStream: boolean): string {
    if (this.#headCame) {
      return endsStream ? this.#receiveTrailers(fields) : "a second head";
    }
    const head = readResponseHead(fields);
    if (typeof head === "string") {
      return head;
    }
    const { status, headers } = head;
    if (status < 200) {
      if (endsStream) {
        return `status ${status} ends the stream`;
      }
      this.#listener.interim(status, headers);
      return "";
    }
    this.#headCame = true;
    this.#leftBytes = this.#isHead || bodiless.has(status) ? 0 : head.contentLength;
    if (endsStream && !this.#isHead && this.#leftBytes !== 0 && this.#leftBytes !== undefined) {
      return `the body is ${this.#leftBytes} bytes shorter than content-length`;
    }
    this.#listener.head(status, headers, endsStream);
    if (endsStream) {
      this.#ended = [];
    }
    return "";
  }

  /** Processes a part of the body. @param piece the stream may keep it. @returns its fault; "" for valid data */
  receive(piece: Buffer): string {
    if (!this.#headCame) {
      return "DATA before the head";
    }
    if (this.#leftBytes !== undefined) {
      this.#leftBytes -= piece.length;
      if (this.#leftBytes < 0) {
        return "the body is longer than content-length, or must be empty";
      }
    }
    if (this.#isPaused || this.#isHanding || !this.#held.isEmpty) {
      this.#held.push(piece);
    } else if (piece.length > 0) {
      this.#hand(piece);
    }
    return "";
  }

  /** Processes the end of the response. @returns the fault of the response; "" when there is none */
  receiveEnd(): string {
    if (this.#leftBytes !== undefined && this.#leftBytes > 0) {
      return `the body is ${this.#leftBytes} bytes shorter than content-length`;
    }
    this.#ended = [];
    return "";
  }

  /** Ends the stream with an error before its response was complete. */
  fail(error: StreamError): void {
    if (!this.#isOver) {
      this.#finish();
      this.#listener.failed(error);
    }
  }

  #receiveTrailers(fields: readonly HeaderField[]): string {
    if (this.#leftBytes !== undefined && this.#leftBytes > 0) {
      return `the body is ${this.#leftBytes} bytes shorter than content-length`;
    }
    const trailers = readResponseTrailers(fields);
    if (typeof trailers === "string") {
      return trailers;
    }
    this.#ended = trailers;
    return "";
  }

  /** Called when the connection has removed the stream. The listener gets the end after all data. */
  completed(): void {
    this.sending.drop();
    this.#handOn();
  }

  #hand(piece: Buffer): void {
    this.#isHanding = true;
    if (!this.#listener.data(piece)) {
      this.#isPaused = true;
    }
    this.#isHanding = false;
    if (!this.#isOver && this.#ended === undefined) {
      this.#carrier.taken(this, piece.length);
    }
  }

  #handOn(): void {
    if (this.#isHanding) {
      return;
    }
    while (!this.#isPaused && !this.#isOver) {
      const piece = this.#held.take();
      if (piece === undefined) {
        break;
      }
      this.#hand(piece);
    }
    if (this.#ended !== undefined && !this.#isOver && this.#held.isEmpty) {
      const trailers = this.#ended;
      this.#finish();
      this.#listener.end(trailers);
    }
  }

  #finish(): void {
    this.#isOver = true;
    this.#held.drop();
    this.sending.drop();
  }
}
