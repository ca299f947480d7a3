import {
  type H2RequestHead,
  type HeaderList,
  type StreamOpening,
  writtenFields,
} from "http-protocols/http2-server";
import type { Http3RequestHandler, Http3RequestStream } from "http-protocols/http3";
import { type H2Carrier, H2Stream } from "../h2/h2-stream.ts";

/** Methods whose requests have a body seldom enough to wait for a sign of one. */
const bodiless: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "DELETE", "TRACE"]);
/**
 * How long a request without `content-length` waits for its end or a body. Clients send the end right behind the head, but some
 * in a datagram of its own, and an upstream must not get a body for it.
 */
const endWaitMs = 50;
/** The QUIC stream counts bytes, so windows of HTTP/2 never close. */
const openWindows = { send: Number.MAX_SAFE_INTEGER, receive: Number.MAX_SAFE_INTEGER };
const withBody: StreamOpening = { ...openWindows, endsStream: false };
const withoutBody: StreamOpening = { ...openWindows, endsStream: true };

/** The connection, as far as a request needs it. */
export interface H3RequestOwner extends H2Carrier {
  /** Bytes of an answer were handed to the connection. */
  sentBytes(bytes: number): void;
  /** The client gave the request up, or broke the rules. */
  lost(request: H3Request): void;
  /** The request is ready for handlers. */
  take(request: H3Request): void;
}

/** One request of HTTP/3: leads what comes to a stream as handlers know it, and what that answers to the client. */
export class H3Request implements Http3RequestHandler {
  readonly id: number;
  readonly #request: Http3RequestStream;
  readonly #head: H2RequestHead;
  readonly #owner: H3RequestOwner;
  /** Undefined until it is known whether a body comes. */
  stream: H2Stream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isTaken = false;
  #isLost = false;
  /** The client's window or the congestion window is full. */
  #isBlocked = false;

  constructor(request: Http3RequestStream, head: H2RequestHead, owner: H3RequestOwner) {
    this.id = request.id;
    this.#request = request;
    this.#head = head;
    this.#owner = owner;
  }

  get unsentBytes(): number {
    return this.#request.unsentBytes + (this.stream?.sending.bytes ?? 0);
  }

  /** Everything that came with the head was read. */
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

  // Called by the request's stream of QUIC

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

  // Called for the answer

  /** @param fields in lower case */
  sendHead(ownFields: HeaderList, fields: HeaderList, endsStream: boolean): void {
    const [, status, ...others] = ownFields;
    this.#request.respond(Number(status), [...others, ...fields]);
    if (endsStream) {
      this.#request.end();
    }
  }

  /** Hands on what the stream has, as far as there is room. */
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
        // The client was told that nobody needs the rest.
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

  /** Takes what the queue of the stream gives. */
  data(_streamId: number, _isLast: boolean, piece: Uint8Array): void {
    this.#owner.sentBytes(piece.length);
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

  /** The wait is over: its end or a body came. */
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
