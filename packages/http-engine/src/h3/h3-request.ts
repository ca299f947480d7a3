import {
  type H2RequestHead,
  type HeaderList,
  type StreamOpening,
  writtenFields,
} from "http-protocols/http2-server";
import type { Http3RequestHandler, Http3RequestStream } from "http-protocols/http3";
import { type H2Carrier, H2Stream } from "../h2/h2-stream.ts";

/** Methods whose requests rarely have a body. For them the end of the request is awaited. */
const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "DELETE", "TRACE"]);
/** Methods that change nothing, so an early request may run. Source: RFC 9110, section 9.2.1 */
const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);
/**
 * Milliseconds that a request without `content-length` waits for its end or a body. Some clients send the end in a
 * separate datagram. Without the wait, an upstream would get a chunked body for such a request.
 */
const endWaitMs = 50;
/** Windows of HTTP/2 that never close, because QUIC does the flow control. */
const openWindows = { send: Number.MAX_SAFE_INTEGER, receive: Number.MAX_SAFE_INTEGER };
const withBody: StreamOpening = { ...openWindows, endsStream: false };
const withoutBody: StreamOpening = { ...openWindows, endsStream: true };

/** The part of the connection that a request uses. */
export interface H3RequestOwner extends H2Carrier {
  /** Called when the client has reset the request or violated the protocol. */
  lost(request: H3Request): void;
  /** Starts the handlers of a request. */
  take(request: H3Request): void;
}

/** One HTTP/3 request: passes its bytes to an `H2Stream`, which handlers use, and the response back to the client. */
export class H3Request implements Http3RequestHandler {
  readonly id: number;
  readonly #request: Http3RequestStream;
  readonly #head: H2RequestHead;
  readonly #owner: H3RequestOwner;
  /** The stream for handlers; undefined until a body or the end arrives, or the wait for them is over. */
  stream: H2Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isTaken = false;
  #isLost = false;
  /** True when the client's window or the congestion window is full. */
  #isBlocked = false;

  constructor(request: Http3RequestStream, head: H2RequestHead, owner: H3RequestOwner) {
    this.id = request.id;
    this.#request = request;
    this.#head = head;
    this.#owner = owner;
  }

  get isSafe(): boolean {
    return safe.has(this.#head.method);
  }

  get unsentBytes(): number {
    return this.#request.unsentBytes + (this.stream?.sending.bytes ?? 0);
  }

  /** Starts the handlers, or the wait for the end. Called when everything that arrived with the head was read. */
  begin(): void {
    if (this.stream !== undefined || this.#isLost) {
      this.#take();
      return;
    }
    const { contentLength, protocol, method } = this.#head;
    if (contentLength === undefined && protocol === "" && bodiless.has(method)) {
      this.#timer = setTimeout(() => this.#open(false), endWaitMs);
    } else {
      this.#open(false);
    }
  }

  // Called by the QUIC stream of the request

  onData(bytes: Buffer): void {
    const stream = this.stream ?? this.#make(false);
    stream.receive(bytes);
    this.#takeWaiting();
  }

  onEnd(trailers: HeaderList): void {
    const { stream } = this;
    if (stream !== undefined) {
      stream.receiveEnd(trailers);
    } else if (trailers.length > 0) {
      this.#make(false).receiveEnd(trailers);
    } else {
      this.#make(true);
    }
    this.#takeWaiting();
  }

  onAbort(): void {
    this.#isLost = true;
    clearTimeout(this.#timer);
    this.#owner.lost(this);
  }

  onWritable(): void {
    this.#isBlocked = false;
    this.send();
  }

  // Called for the response

  /** Sends the head. @param fields names are in lower case */
  sendHead(ownFields: HeaderList, fields: HeaderList, endsStream: boolean): void {
    const [, status, ...others] = ownFields;
    this.#request.respond(Number(status), [...others, ...fields]);
    if (endsStream) {
      this.#request.end();
    }
  }

  /** Sends queued bytes until the windows are full. */
  send(): void {
    const { stream } = this;
    if (stream === undefined || stream.sending.isOver) {
      return;
    }
    const { sending } = stream;
    while (!this.#isBlocked && sending.bytes > 0) {
      sending.sendFrame(this, Number.MAX_SAFE_INTEGER, true);
    }
    if (sending.isAtEnd) {
      sending.endSent();
      const { requestEnded } = stream;
      this.#request.end(writtenFields(stream.trailers));
      stream.allSent();
      if (!requestEnded && stream.isTunnel) {
        this.#owner.lost(this);
      } else if (!requestEnded) {
        // The response is complete, so the rest of the request is not needed.
        this.#owner.finished(stream);
      }
    }
  }

  consume(bytes: number): void {
    this.#request.consume(bytes);
  }

  breakOff(code: number): void {
    this.#isLost = true;
    clearTimeout(this.#timer);
    this.#request.reset(code);
  }

  /** Receives a piece from the send queue, and writes it to the QUIC stream. */
  data(_streamId: number, _isLast: boolean, piece: Uint8Array): void {
    this.#isBlocked = !this.#request.write(
      Buffer.from(piece.buffer as ArrayBuffer, piece.byteOffset, piece.length),
    );
  }

  #make(endsStream: boolean): H2Stream {
    const stream = new H2Stream(this.#owner, this.id, this.#head, endsStream ? withoutBody : withBody);
    this.stream = stream;
    return stream;
  }

  #open(endsStream: boolean): void {
    this.stream ??= this.#make(endsStream);
    this.#take();
  }

  /** Ends the wait, because the end or a body has arrived. */
  #takeWaiting(): void {
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#take();
    }
  }

  #take(): void {
    if (!this.#isTaken && !this.#isLost) {
      this.#isTaken = true;
      this.#owner.take(this);
    }
  }
}
