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
} from "wire/http2";
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

/** Calls that a connection may have under way at a time; clients let further ones wait. */
const maxConcurrentStreams = 100;
const maxHeaderListBytes = 16_384;
/** Of a header block over all its frames. */
const maxHeaderBlockBytes = 32_768;
const connectionWindowBytes = 8 * 1024 * 1024;

/**
 * One client's connection: HTTP/2 as far as unary gRPC needs it, without an object per frame or a stream per call.
 * Clients that break HTTP/2's rules get what RFC 9113 says; what would cost us more than them ends the connection
 * (ENHANCE_YOUR_CALM).
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
  /** Calls whose request is not yet whole. */
  readonly #requests = new Map<number, RequestStream>();
  /** Calls whose request is whole and whose answer is not yet written. */
  readonly #answering = new Set<number>();
  /** Closed by the client or in order; a frame on them is an error. */
  readonly #closed = new RecentStreams();
  /** Closed early by us: the client may not know yet, and its frames are thrown away. */
  readonly #abandoned = new RecentStreams();
  readonly #received = new ReceiveWindow(connectionWindowBytes);
  readonly #guard = new FloodGuard();
  readonly #out: FrameOutput;
  #lastStreamId = 0;
  #isLeaving = false;
  #isDead = false;

  constructor(socket: Duplex, settings: ConnectionSettings) {
    this.#socket = socket;
    this.#settings = settings;
    this.#out = new FrameOutput(socket, () => this.destroy());
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    // A client that goes away is no news.
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

  /** Whether the client has said that it speaks HTTP/2. */
  get hasBegun(): boolean {
    return this.#dispatcher.hasSettings;
  }

  /** Takes no new calls; the connection ends with the last that is under way. */
  drain(): void {
    if (this.#isLeaving || this.#isDead) return;
    this.#isLeaving = true;
    this.#write(encodeGoAway(this.#lastStreamId, errorCodes.noError));
    this.#endWhenIdle();
  }

  /** Ends at once. */
  destroy(): void {
    this.#die();
    this.#socket.destroy();
  }

  /** Breaks off calls of which nothing has come for `idleMs`. */
  breakStalled(idleMs: number): void {
    const now = performance.now();
    for (const request of this.#requests.values()) {
      if (now - request.lastActiveMs < idleMs) continue;
      this.#abandon(request);
      this.#write(encodeRstStream(request.id, errorCodes.cancel));
    }
  }

  #receive(chunk: Buffer): void {
    if (this.#isDead) return;
    try {
      this.#reader.push(chunk);
    } catch (error) {
      const code = error instanceof Http2Error ? error.code : errorCodes.internalError;
      const reason = error instanceof Error ? error.message : String(error);
      this.#write(encodeGoAway(this.#lastStreamId, code, reason.slice(0, 200).replace(/[^ -~]/g, "?")));
      this.#out.flush();
      this.#forget();
      this.#socket.end();
    }
  }

  /** Called by the dispatcher, as are the next ones. */
  data(streamId: number, data: Buffer, frameBytes: number, endsStream: boolean): void {
    this.#checkOpened(streamId, "DATA");
    if (!this.#received.take(frameBytes)) {
      throw new Http2Error(errorCodes.flowControlError, "DATA over the window");
    }
    this.#grant(0, this.#received);
    if (data.length === 0 && !endsStream) this.#guard.idleFrame();
    const request = this.#requests.get(streamId);
    if (request === undefined) {
      if (!this.#abandoned.has(streamId)) this.streamError(streamId, errorCodes.streamClosed);
      return;
    }
    if (!request.received.take(frameBytes)) {
      this.#reset(request, errorCodes.flowControlError);
      return;
    }
    const failure = request.add(data);
    if (failure !== undefined) this.#refuse(request, failure, endsStream);
    else if (endsStream) this.#complete(request);
    else this.#grant(streamId, request.received);
  }

  headers(streamId: number, block: Buffer, endsStream: boolean): void {
    if (streamId % 2 === 0) throw protocolError("HEADERS on a stream that no client opens");
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
    if (this.#abandoned.has(streamId)) return;
    if (streamId <= this.#lastStreamId) {
      const isKnown = this.#closed.has(streamId) || this.#answering.has(streamId);
      throw new Http2Error(
        isKnown ? errorCodes.streamClosed : errorCodes.protocolError,
        `HEADERS on stream ${streamId}, which is closed`,
      );
    }
    if (this.#isLeaving) return;
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
    if (wasOpen) this.#guard.reset();
    else this.#guard.idleFrame();
    this.#endWhenIdle();
  }

  settings(settings: ReadonlyMap<number, number>): void {
    this.#guard.idleFrame();
    this.#write(settingsAck);
    const initialWindowBytes = settings.get(settingIds.initialWindowSize);
    if (initialWindowBytes === undefined) return;
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
    if (request === undefined && !this.#answering.has(streamId) && !this.#sending.has(streamId)) return;
    if (increment > 0 && this.#sending.grantStream(streamId, increment)) {
      this.#endWhenIdle();
      return;
    }
    const errorCode = increment === 0 ? errorCodes.protocolError : errorCodes.flowControlError;
    if (request !== undefined) this.#abandon(request);
    this.streamError(streamId, errorCode);
  }

  /** Also answers a frame on a stream that is closed. */
  streamError(streamId: number, errorCode: number): void {
    this.#guard.reset();
    this.#answering.delete(streamId);
    this.#sending.drop(streamId);
    this.#write(encodeRstStream(streamId, errorCode));
  }

  /** @param fields undefined when there were too many */
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
      // At once: the client of a streaming method may wait for an answer before it ends its request.
      this.#writeLast(streamId, failureHeaders(target));
      this.#closeEarly(streamId, endsStream);
      return;
    }
    const request = new RequestStream(
      { id: streamId, target, fields, encoding, contentLength },
      this.#settings,
    );
    this.#requests.set(streamId, request);
    if (endsStream) this.#complete(request);
  }

  /** The request is whole. */
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
    // The method has taken what it needs of the message when it returns its promise.
    const answer = target.call(message, fields);
    request.release();
    answer.then(
      (bytes) => this.#answer(id, bytes),
      (error: unknown) => this.#fail(id, target.failureOf(error)),
    );
  }

  #answer(streamId: number, bytes: Uint8Array): void {
    if (!this.#answering.delete(streamId)) return;
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
    if (!this.#answering.delete(streamId)) return;
    this.#writeLast(streamId, failureHeaders(failure));
    this.#finish(streamId);
  }

  /** Fails a call whose message cannot be taken. */
  #refuse(request: RequestStream, failure: GrpcFailure, hasEnded: boolean): void {
    request.release();
    this.#requests.delete(request.id);
    if ("call" in request.target) request.target.refused?.(failure);
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

  /** Answered in full, though the client may still be sending. */
  #closeEarly(streamId: number, hasEnded: boolean): void {
    if (hasEnded) {
      this.#finish(streamId);
      return;
    }
    this.#abandoned.add(streamId);
    if (!this.#sending.has(streamId)) this.#write(encodeRstStream(streamId, errorCodes.noError));
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

  /** @throws Http2Error for stream 0 and for streams that the client has not opened */
  #checkOpened(streamId: number, what: string): void {
    if (streamId === 0 || streamId % 2 === 0 || streamId > this.#lastStreamId) {
      // While we are leaving, streams that were never opened are those we did not take.
      if (this.#isLeaving && streamId > this.#lastStreamId) return;
      throw protocolError(`${what} on stream ${streamId}, which is not open`);
    }
  }

  #endWhenIdle(): void {
    if (!this.#isLeaving || this.#isDead) return;
    if (this.#requests.size > 0 || this.#answering.size > 0 || this.#sending.size > 0) return;
    this.#out.flush();
    this.#die();
    this.#socket.end();
  }

  /** Gives back what calls under way hold; their answers go nowhere. */
  #forget(): void {
    this.#die();
    for (const request of this.#requests.values()) request.release();
    this.#requests.clear();
    this.#answering.clear();
  }

  /** The one header block of an answer without a message. */
  #writeLast(streamId: number, headers: Buffer): void {
    const flags = frameFlags.endHeaders | frameFlags.endStream;
    this.#write(encodeFrame(frameTypes.headers, flags, streamId, headers));
    this.#sending.drop(streamId);
  }

  /** Gives back to the client what it has used of a window. */
  #grant(streamId: number, window: ReceiveWindow): void {
    const increment = window.grant();
    if (increment > 0) this.#write(encodeWindowUpdate(streamId, increment));
  }

  #write(bytes: Buffer): void {
    if (!this.#isDead) this.#out.write(bytes);
  }

  #die(): void {
    this.#isDead = true;
    this.#dispatcher.stop();
  }
}

function protocolError(what: string): Http2Error {
  return new Http2Error(errorCodes.protocolError, what);
}
