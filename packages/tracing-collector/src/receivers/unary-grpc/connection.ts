import type { Duplex } from "node:stream";
import { encodeHeaders, errorCodes, type HeaderField } from "http-protocols/http2";
import { type HeaderList, type OpeningFields, ServerConnection } from "http-protocols/http2-server";
import { failureHeaders, type GrpcFailure, okTrailers, responseHeaders } from "../grpc-status.ts";
import { messagePrefixBytes } from "./decode-message.ts";
import { RequestHeadersReader, trailersProblem } from "./request-headers.ts";
import { type PlannedAnswer, type RequestSettings, RequestStream } from "./request-stream.ts";
import { requestTarget } from "./request-target.ts";
import type { UnaryMethod } from "./unary-method.ts";

/** The settings that all connections of a listener share. */
export interface ConnectionSettings extends RequestSettings {
  /** Methods by path: `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, UnaryMethod>;
}

/** Time limits in milliseconds within which a client must complete what it began. */
export interface TimeLimits {
  /** Milliseconds for the preface of HTTP/2, and for a header block. A slower client is disconnected. */
  readonly beginMs: number;
  /** Milliseconds for the next piece of a message, and for a frame. */
  readonly stallMs: number;
}

const limits = {
  /** Maximum number of calls that may run on a connection at once; clients queue further calls. */
  maxStreams: 100,
  maxHeaderBytes: 16_384,
  maxHeaderBlockBytes: 32_768,
  windowBytes: 8 * 1024 * 1024,
};
/** Time limit in milliseconds for a client to read the last answer and close its side. */
const lingerMs = 10_000;
const tooLarge: PlannedAnswer = { httpStatus: 431, text: "431 request header fields too large" };
const noFields: readonly HeaderField[] = [];
const noTrailers: HeaderList = [];

/**
 * A connection of one client. It answers unary calls of gRPC, each with headers, one message and trailers. Headers
 * and trailers are encoded once for all calls.
 *
 * The life of a call:
 *
 * | Step | Method | Who calls it |
 * |---|---|---|
 * | headers arrived | `openStream` | the HTTP/2 state machine |
 * | a piece of the message arrived | `RequestStream.receive` | the state machine |
 * | the message is complete | `complete` | the stream, or `readDone` when there is nothing to wait for |
 * | the method has answered | `#answer` or `#fail` | its promise |
 * | all is sent | `answered` | the stream |
 * | the stream is closed | `RequestStream.streamOver` | the state machine, also after a reset |
 *
 * Source: gRPC over HTTP2 (grpc/grpc doc/PROTOCOL-HTTP2.md)
 */
export class Connection extends ServerConnection<RequestStream> {
  readonly #socket: Duplex;
  readonly #settings: ConnectionSettings;
  readonly #headers = new RequestHeadersReader();
  readonly #openedAt = Date.now();
  /** Calls that are answered after the present chunk of the socket was read. */
  #due: RequestStream[] = [];

  constructor(socket: Duplex, settings: ConnectionSettings) {
    super(socket, limits);
    this.#socket = socket;
    this.#settings = settings;
  }

  /** Accepts no new calls. The connection closes after the last running call. */
  drain(): void {
    if (this.leave()) {
      this.endWhenIdle();
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes a connection that exceeds a time limit, and cancels calls that have stalled. */
  breakStalled({ beginMs, stallMs }: TimeLimits): void {
    const now = performance.now();
    const begunAt = this.hasBegun ? this.blockSince : this.#openedAt;
    const { frameSince } = this;
    if ((begunAt > 0 && Date.now() - begunAt > beginMs) || (frameSince > 0 && now - frameSince > stallMs)) {
      this.destroy();
      return;
    }
    for (const request of this.streams.all()) {
      if (!request.requestEnded && now - request.lastActiveMs >= stallMs) {
        this.breakOff(request, errorCodes.cancel);
      }
    }
  }

  // The following methods are called by the connection's state machine.

  openStream(streamId: number, opening: OpeningFields): RequestStream | "malformed" {
    const { fields, endsStream } = opening;
    if (fields === undefined) {
      const head = {
        id: streamId,
        fields: noFields,
        encoding: "identity",
        contentLength: undefined,
        endsStream,
      };
      const request = new RequestStream(this, head, tooLarge, opening);
      this.#due.push(request);
      return request;
    }
    const headers = this.#headers.read(fields);
    if (typeof headers === "string" || (endsStream && (headers.contentLength ?? 0) !== 0)) {
      return "malformed";
    }
    const { target, encoding } = requestTarget(headers, this.#settings.methods);
    const head = { id: streamId, fields, encoding, contentLength: headers.contentLength, endsStream };
    const request = new RequestStream(this, head, target, opening);
    // Not every request must end: the client of a streaming method may wait for an answer before it ends its request.
    if (endsStream || "details" in target) {
      this.#due.push(request);
    }
    return request;
  }

  readTrailers(fields: readonly HeaderField[]): HeaderList | string {
    return trailersProblem(fields) || noTrailers;
  }

  override sendTrailers(streamId: number): void {
    this.writer.headers(streamId, true, okTrailers);
  }

  protected readDone(): void {
    if (this.#due.length > 0) {
      const due = this.#due;
      this.#due = [];
      for (const request of due) {
        if (!request.isOver) {
          this.complete(request);
        }
      }
    }
  }

  protected loseStream(request: RequestStream): void {
    request.streamLost();
  }

  protected endSocket(): void {
    const socket = this.#socket;
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once("close", () => clearTimeout(timer));
  }

  protected connectionClosed(): void {
    // The server already listens to the socket's events.
  }

  protected becameIdle(): void {
    // A connection without calls stays open.
  }

  // The members below are for the objects of gRPC calls.

  get settings(): RequestSettings {
    return this.#settings;
  }

  /**
   * Must be called when a call has failed before its request was complete. The call is answered after the present chunk
   * of the socket was read.
   */
  failed(request: RequestStream): void {
    this.#due.push(request);
  }

  /** Answers a request that is complete, or whose remaining bytes are not needed. */
  complete(request: RequestStream): void {
    const { target, fields } = request;
    if ("httpStatus" in target) {
      this.#answerHttp(request, target);
      return;
    }
    if ("details" in target) {
      this.#fail(request, target);
      return;
    }
    const message = request.message();
    if (!Buffer.isBuffer(message)) {
      target.refused?.(message);
      this.#fail(request, message);
      return;
    }
    // When the method returns its promise, it has copied what it needs of the message.
    const answer = target.call(message, fields);
    request.release();
    answer.then(
      (bytes) => this.#answer(request, bytes),
      (error: unknown) => this.#fail(request, target.failureOf(error)),
    );
  }

  /** Called when the end of the answer was sent. The client may still be sending. */
  answered(request: RequestStream): void {
    if (request.requestEnded) {
      this.finished(request);
    } else {
      this.breakOff(request, errorCodes.noError);
    }
  }

  /** Sends an answer: headers, then flag and length (5 bytes) with the message. The trailers follow automatically. */
  #answer(request: RequestStream, bytes: Uint8Array): void {
    if (request.isOver) {
      return;
    }
    const data = Buffer.allocUnsafe(messagePrefixBytes + bytes.length);
    data[0] = 0;
    data.writeUInt32BE(bytes.length, 1);
    data.set(bytes, messagePrefixBytes);
    this.writer.headers(request.id, false, responseHeaders);
    request.send(data);
    this.queued(request);
  }

  /** Sends the single header block of an answer without a message. */
  #fail(request: RequestStream, failure: GrpcFailure): void {
    if (!request.isOver) {
      this.writer.headers(request.id, true, failureHeaders(failure));
      this.answered(request);
    }
  }

  /** Answers a request that is not gRPC, such as a browser's GET. */
  #answerHttp(request: RequestStream, { httpStatus, text }: PlannedAnswer): void {
    const head = encodeHeaders([
      { name: ":status", value: String(httpStatus) },
      { name: "content-type", value: "text/plain" },
      ...(httpStatus === 405 ? [{ name: "allow", value: "POST" }] : []),
    ]);
    this.writer.headers(request.id, false, head);
    request.sendText(text);
    this.queued(request);
  }
}
