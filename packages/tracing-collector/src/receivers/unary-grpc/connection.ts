import type { Duplex } from "node:stream";
import {
  clientPreface,
  decodeHeaderBlock,
  defaultWindowBytes,
  encodeFrame,
  encodeGoAway,
  encodeHeaders,
  encodePingAck,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  FloodGuard,
  FrameDispatcher,
  type FrameHandler,
  FrameReader,
  frameFlags,
  frameTypes,
  type HeaderField,
  HpackDecoder,
  Http2Error,
  ReceiveWindow,
  SendWindow,
  settingIds,
  settingsAck,
} from "http-protocols/http2";
import { messagePrefixBytes } from "./decode-message.ts";
import { FrameOutput } from "./frame-output.ts";
import { failureHeaders, type GrpcFailure, okTrailers, responseHeaders } from "./grpc-status.ts";
import { RecentStreams } from "./recent-streams.ts";
import { RequestHeadersReader, trailersProblem } from "./request-headers.ts";
import {
  type PlannedAnswer,
  type RequestSettings,
  RequestStream,
  streamWindowBytes,
} from "./request-stream.ts";
import { requestTarget } from "./request-target.ts";
import type { UnaryMethod } from "./unary-method.ts";

export interface ConnectionSettings extends RequestSettings {
  /** By path: `/package.Service/Method`. */
  readonly methods: ReadonlyMap<string, UnaryMethod>;
}

/** Milliseconds that a client has for what it began. */
export interface TimeLimits {
  /** For the preface of HTTP/2, and for a header block. */
  readonly beginMs: number;
  /** For the next piece of a message, and for a frame. */
  readonly stallMs: number;
}

/** Calls that a connection may run at the same time; clients queue further ones. */
const maxConcurrentStreams = 100;
const maxHeaderListBytes = 16_384;
/** Limit of a header block over all its frames. */
const maxHeaderBlockBytes = 32_768;
const connectionWindowBytes = 8 * 1024 * 1024;

/**
 * A connection of one client. It implements the parts of HTTP/2 that unary gRPC needs, without an object for
 * each frame or a stream for each call. Clients that break the rules of HTTP/2 are answered as RFC 9113 says.
 * Requests that cost this side more than the client end the connection (ENHANCE_YOUR_CALM).
 *
 * Source: RFC 9113; gRPC over HTTP2 (grpc/grpc doc/PROTOCOL-HTTP2.md)
 */
export class Connection implements FrameHandler {
  readonly #socket: Duplex;
  readonly #settings: ConnectionSettings;
  readonly #dispatcher = new FrameDispatcher(this, { maxHeaderBlockBytes });
  readonly #reader = new FrameReader(this.#dispatcher, clientPreface);
  readonly #hpack = new HpackDecoder({ maxListBytes: maxHeaderListBytes });
  readonly #headers = new RequestHeadersReader();
  readonly #sending = new SendWindow((frame) => this.#write(frame));
  /** Calls whose request is incomplete. */
  readonly #requests = new Map<number, RequestStream>();
  /** Calls whose request is complete and whose answer is not yet written. */
  readonly #answering = new Set<number>();
  /** Streams that ended normally, or that the client closed; another frame on them is an error. */
  readonly #closed = new RecentStreams();
  /** Streams that this side closed early. The client may not know yet, so its frames are dropped. */
  readonly #abandoned = new RecentStreams();
  readonly #received = new ReceiveWindow(connectionWindowBytes);
  readonly #guard = new FloodGuard();
  readonly #out: FrameOutput;
  readonly #openedAt = performance.now();
  /** When the header block that goes on in CONTINUATION frames began; 0: none does. */
  #blockSince = 0;
  #lastStreamId = 0;
  #isLeaving = false;
  #isDead = false;

  constructor(socket: Duplex, settings: ConnectionSettings) {
    this.#socket = socket;
    this.#settings = settings;
    this.#out = new FrameOutput(socket, () => this.destroy());
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    // A client that disconnects is normal.
    socket.on("error", () => {});
    socket.once("close", () => this.#forget());
    this.#write(
      encodeSettings(
        new Map([
          [settingIds.maxConcurrentStreams, maxConcurrentStreams],
          [settingIds.initialWindowSize, streamWindowBytes],
          [settingIds.maxHeaderListSize, maxHeaderListBytes],
        ]),
      ),
    );
    this.#write(encodeWindowUpdate(0, connectionWindowBytes - defaultWindowBytes));
  }

  /** Accepts no new calls; the connection ends with the last running call. */
  drain(): void {
    if (this.#isLeaving || this.#isDead) {
      return;
    }
    this.#isLeaving = true;
    this.#write(encodeGoAway(this.#lastStreamId, errorCodes.noError));
    this.#endWhenIdle();
  }

  /** Ends at once. */
  destroy(): void {
    this.#die();
    this.#socket.destroy();
  }

  /** Ends a connection that began something and does not end it, and cancels calls that have stalled. */
  breakStalled({ beginMs, stallMs }: TimeLimits): void {
    const now = performance.now();
    const begunAt = this.#dispatcher.hasSettings ? this.#blockSince : this.#openedAt;
    const frameSince = this.#reader.incompleteSince;
    if ((begunAt > 0 && now - begunAt > beginMs) || (frameSince > 0 && now - frameSince > stallMs)) {
      this.destroy();
      return;
    }
    for (const request of this.#requests.values()) {
      if (now - request.lastActiveMs < stallMs) {
        continue;
      }
      this.#abandon(request);
      this.#write(encodeRstStream(request.id, errorCodes.cancel));
    }
  }

  #receive(chunk: Buffer): void {
    if (this.#isDead) {
      return;
    }
    try {
      this.#reader.push(chunk);
    } catch (error) {
      const code = error instanceof Http2Error ? error.code : errorCodes.internalError;
      const reason = error instanceof Error ? error.message : String(error);
      this.#write(encodeGoAway(this.#lastStreamId, code, reason.slice(0, 200).replace(/[^ -~]/g, "?")));
      this.#out.flush();
      this.#forget();
      this.#socket.end();
      return;
    }
    if (this.#dispatcher.isInHeaders && this.#blockSince === 0) {
      this.#blockSince = performance.now();
    }
  }

  /** The frame dispatcher calls this and the following methods. */
  data(streamId: number, data: Buffer, frameBytes: number, endsStream: boolean): void {
    this.#checkOpened(streamId, "DATA");
    if (!this.#received.take(frameBytes)) {
      throw new Http2Error(errorCodes.flowControlError, "DATA over the window");
    }
    this.#grant(0, this.#received);
    if (data.length === 0 && !endsStream) {
      this.#guard.idleFrame();
    }
    const request = this.#requests.get(streamId);
    if (request === undefined) {
      if (!this.#abandoned.has(streamId)) {
        this.streamError(streamId, errorCodes.streamClosed);
      }
      return;
    }
    if (!request.received.take(frameBytes)) {
      this.#reset(request, errorCodes.flowControlError);
      return;
    }
    const failure = request.add(data);
    if (failure !== undefined) {
      this.#refuse(request, failure, endsStream);
    } else if (endsStream) {
      this.#complete(request);
    } else {
      this.#grant(streamId, request.received);
    }
  }

  headers(streamId: number, block: Buffer, endsStream: boolean): void {
    this.#blockSince = 0;
    if (streamId % 2 === 0) {
      throw protocolError("HEADERS on a stream that no client opens");
    }
    const fields = decodeHeaderBlock(this.#hpack, block);
    const request = this.#requests.get(streamId);
    if (request !== undefined) {
      if (fields === undefined || !endsStream || trailersProblem(fields) !== "") {
        this.#reset(request, errorCodes.protocolError);
      } else {
        this.#complete(request);
      }
      return;
    }
    if (this.#abandoned.has(streamId)) {
      return;
    }
    if (streamId <= this.#lastStreamId) {
      const isKnown = this.#closed.has(streamId) || this.#answering.has(streamId);
      throw new Http2Error(
        isKnown ? errorCodes.streamClosed : errorCodes.protocolError,
        `HEADERS on stream ${streamId}, which is closed`,
      );
    }
    if (this.#isLeaving) {
      return;
    }
    this.#lastStreamId = streamId;
    this.#guard.streamOpened();
    this.#open(streamId, endsStream, fields);
  }

  reset(streamId: number): void {
    this.#checkOpened(streamId, "RST_STREAM");
    const request = this.#requests.get(streamId);
    request?.release();
    const wasOpen = this.#requests.delete(streamId) || this.#answering.delete(streamId);
    this.#sending.drop(streamId);
    this.#closed.add(streamId);
    if (wasOpen) {
      this.#guard.reset();
    } else {
      this.#guard.idleFrame();
    }
    this.#endWhenIdle();
  }

  settings(settings: ReadonlyMap<number, number>): void {
    this.#guard.idleFrame();
    this.#write(settingsAck);
    const initialWindowBytes = settings.get(settingIds.initialWindowSize);
    if (initialWindowBytes === undefined) {
      return;
    }
    this.#sending.setInitial(initialWindowBytes);
    this.#endWhenIdle();
  }

  ping(payload: Buffer): void {
    this.#guard.idleFrame();
    this.#write(encodePingAck(payload));
  }

  idleFrame(): void {
    this.#guard.idleFrame();
  }

  goAway(): void {
    this.#isLeaving = true;
    this.#endWhenIdle();
  }

  windowUpdate(streamId: number, increment: number): void {
    this.#guard.windowUpdate();
    if (streamId === 0) {
      this.#sending.grantConnection(increment);
      this.#endWhenIdle();
      return;
    }
    this.#checkOpened(streamId, "WINDOW_UPDATE");
    const request = this.#requests.get(streamId);
    if (request === undefined && !this.#answering.has(streamId) && !this.#sending.has(streamId)) {
      return;
    }
    if (increment > 0 && this.#sending.grantStream(streamId, increment)) {
      this.#endWhenIdle();
      return;
    }
    const errorCode = increment === 0 ? errorCodes.protocolError : errorCodes.flowControlError;
    if (request !== undefined) {
      this.#abandon(request);
    }
    this.streamError(streamId, errorCode);
  }

  /** Also called for a frame on a closed stream. */
  streamError(streamId: number, errorCode: number): void {
    this.#guard.reset();
    this.#answering.delete(streamId);
    this.#sending.drop(streamId);
    this.#write(encodeRstStream(streamId, errorCode));
  }

  /** @param fields undefined when there were too many of them */
  #open(streamId: number, endsStream: boolean, fields: HeaderField[] | undefined): void {
    if (this.#requests.size + this.#answering.size + this.#sending.size >= maxConcurrentStreams) {
      this.#guard.reset();
      this.#abandoned.add(streamId);
      this.#write(encodeRstStream(streamId, errorCodes.refusedStream));
      return;
    }
    if (fields === undefined) {
      this.#answerHttp(streamId, { httpStatus: 431, text: "431 request header fields too large" });
      this.#closeEarly(streamId, endsStream);
      return;
    }
    const headers = this.#headers.read(fields);
    if (typeof headers === "string" || (endsStream && (headers.contentLength ?? 0) !== 0)) {
      this.#guard.reset();
      this.#abandoned.add(streamId);
      this.#write(encodeRstStream(streamId, errorCodes.protocolError));
      return;
    }
    const { contentLength } = headers;
    const { target, encoding } = requestTarget(headers, this.#settings.methods);
    if ("details" in target) {
      // Answered at once: the client of a streaming method may wait for an answer before it ends its request.
      this.#writeLast(streamId, failureHeaders(target));
      this.#closeEarly(streamId, endsStream);
      return;
    }
    const request = new RequestStream(
      { id: streamId, target, fields, encoding, contentLength },
      this.#settings,
    );
    this.#requests.set(streamId, request);
    if (endsStream) {
      this.#complete(request);
    }
  }

  /** The request is complete. */
  #complete(request: RequestStream): void {
    if (!request.hasPromisedLength) {
      this.#reset(request, errorCodes.protocolError);
      return;
    }
    const { id, target, fields } = request;
    if ("httpStatus" in target) {
      this.#requests.delete(id);
      this.#answerHttp(id, target);
      this.#finish(id);
      return;
    }
    const message = request.message();
    if (!Buffer.isBuffer(message)) {
      this.#refuse(request, message, true);
      return;
    }
    this.#requests.delete(id);
    this.#answering.add(id);
    // The method has copied what it needs of the message when it returns its promise.
    const answer = target.call(message, fields);
    request.release();
    answer.then(
      (bytes) => this.#answer(id, bytes),
      (error: unknown) => this.#fail(id, target.failureOf(error)),
    );
  }

  #answer(streamId: number, bytes: Uint8Array): void {
    if (!this.#answering.delete(streamId)) {
      return;
    }
    const data = Buffer.allocUnsafe(messagePrefixBytes + bytes.length);
    data[0] = 0;
    data.writeUInt32BE(bytes.length, 1);
    data.set(bytes, messagePrefixBytes);
    this.#write(encodeFrame(frameTypes.headers, frameFlags.endHeaders, streamId, responseHeaders));
    this.#guard.dataSent();
    this.#sending.send(streamId, data, okTrailers);
    this.#finish(streamId);
  }

  #fail(streamId: number, failure: GrpcFailure): void {
    if (!this.#answering.delete(streamId)) {
      return;
    }
    this.#writeLast(streamId, failureHeaders(failure));
    this.#finish(streamId);
  }

  /** Fails a call whose message cannot be accepted. */
  #refuse(request: RequestStream, failure: GrpcFailure, hasEnded: boolean): void {
    request.release();
    this.#requests.delete(request.id);
    if ("call" in request.target) {
      request.target.refused?.(failure);
    }
    this.#writeLast(request.id, failureHeaders(failure));
    this.#closeEarly(request.id, hasEnded);
  }

  #answerHttp(streamId: number, { httpStatus, text }: PlannedAnswer): void {
    const head = encodeHeaders([
      { name: ":status", value: String(httpStatus) },
      { name: "content-type", value: "text/plain" },
      ...(httpStatus === 405 ? [{ name: "allow", value: "POST" }] : []),
    ]);
    this.#write(encodeFrame(frameTypes.headers, frameFlags.endHeaders, streamId, head));
    this.#sending.send(streamId, Buffer.from(text));
  }

  /** The answer is complete, although the client may still be sending. */
  #closeEarly(streamId: number, hasEnded: boolean): void {
    if (hasEnded) {
      this.#finish(streamId);
      return;
    }
    this.#abandoned.add(streamId);
    if (!this.#sending.has(streamId)) {
      this.#write(encodeRstStream(streamId, errorCodes.noError));
    }
    this.#endWhenIdle();
  }

  #finish(streamId: number): void {
    this.#guard.streamEnded();
    this.#closed.add(streamId);
    this.#endWhenIdle();
  }

  #abandon(request: RequestStream): void {
    request.release();
    this.#requests.delete(request.id);
    this.#sending.drop(request.id);
    this.#abandoned.add(request.id);
    this.#endWhenIdle();
  }

  #reset(request: RequestStream, errorCode: number): void {
    this.#abandon(request);
    this.#write(encodeRstStream(request.id, errorCode));
  }

  /** @throws Http2Error for stream 0, and for a stream that the client has not opened */
  #checkOpened(streamId: number, what: string): void {
    if (streamId === 0 || streamId % 2 === 0 || streamId > this.#lastStreamId) {
      // After GOAWAY, streams that were never opened are those that this side refused.
      if (this.#isLeaving && streamId > this.#lastStreamId) {
        return;
      }
      throw protocolError(`${what} on stream ${streamId}, which is not open`);
    }
  }

  #endWhenIdle(): void {
    if (!this.#isLeaving || this.#isDead) {
      return;
    }
    if (this.#requests.size > 0 || this.#answering.size > 0 || this.#sending.size > 0) {
      return;
    }
    this.#out.flush();
    this.#die();
    this.#socket.end();
  }

  /** Releases the memory of running calls; their answers are dropped. */
  #forget(): void {
    this.#die();
    for (const request of this.#requests.values()) {
      request.release();
    }
    this.#requests.clear();
    this.#answering.clear();
  }

  /** Writes the only header block of an answer without a message. */
  #writeLast(streamId: number, headers: Buffer): void {
    const flags = frameFlags.endHeaders | frameFlags.endStream;
    this.#write(encodeFrame(frameTypes.headers, flags, streamId, headers));
    this.#sending.drop(streamId);
  }

  /** Returns used bytes of a window to the client. */
  #grant(streamId: number, window: ReceiveWindow): void {
    const increment = window.grant();
    if (increment > 0) {
      this.#write(encodeWindowUpdate(streamId, increment));
    }
  }

  #write(bytes: Buffer): void {
    if (!this.#isDead) {
      this.#out.write(bytes);
    }
  }

  #die(): void {
    this.#isDead = true;
    this.#dispatcher.stop();
  }
}

function protocolError(what: string): Http2Error {
  return new Http2Error(errorCodes.protocolError, what);
}
