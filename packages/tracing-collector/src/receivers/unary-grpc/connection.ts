import type { Duplex } from "node:stream";
import {
  clientPreface,
  dataOf,
  decodeHeaderBlock,
  defaultWindowBytes,
  encodeFrame,
  encodeGoAway,
  encodeHeaders,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  FrameReader,
  type FrameSink,
  frameFlags,
  frameTypes,
  type HeaderField,
  HeaderFragments,
  HpackDecoder,
  Http2Error,
  headerBlockOf,
  settingIds,
  settingsOf,
} from "wire/http2";
import { messagePrefixBytes } from "./decode-message.ts";
import { failureHeaders, type GrpcFailure, okTrailers, responseHeaders } from "./grpc-status.ts";
import { readRequestHeaders, trailersProblem } from "./request-headers.ts";
import { type PlannedAnswer, type RequestSettings, RequestStream } from "./request-stream.ts";
import { requestTarget } from "./request-target.ts";
import { SendWindow } from "./send-window.ts";
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
const streamWindowBytes = 1024 * 1024;
const connectionWindowBytes = 8 * 1024 * 1024;
/** Answers that the client does not read. */
const maxUnreadBytes = 1024 * 1024;
/** A client that resets more calls than this, and than half of those it finishes, is sent away. */
const resetBurst = 1_000;
/** Closed streams that are remembered, to tell a late frame from a wrong one. */
const rememberedStreams = 1_000;
const highestStreamId = 0x7fff_ffff;
const noTrailers = Buffer.alloc(0);

/**
 * One client's connection: HTTP/2 as far as unary gRPC needs it, without an object per frame or a stream per call.
 * Clients that break HTTP/2's rules get what RFC 9113 says; what would cost us more than them ends the connection
 * (ENHANCE_YOUR_CALM).
 *
 * Source: RFC 9113; gRPC over HTTP2 (grpc/grpc doc/PROTOCOL-HTTP2.md)
 */
export class Connection implements FrameSink {
  readonly #socket: Duplex;
  readonly #settings: ConnectionSettings;
  readonly #reader = new FrameReader(this, clientPreface);
  readonly #hpack = new HpackDecoder({ maxListBytes: maxHeaderListBytes });
  readonly #sending = new SendWindow((frame) => this.#write(frame));
  /** Calls whose request is not yet whole. */
  readonly #requests = new Map<number, RequestStream>();
  /** Calls whose request is whole and whose answer is not yet written. */
  readonly #answering = new Set<number>();
  /** Closed by the client or in order; a frame on them is an error. */
  readonly #closed = new Set<number>();
  /** Closed early by us: the client may not know yet, and its frames are thrown away. */
  readonly #abandoned = new Set<number>();
  #windowBytes = connectionWindowBytes;
  #lastStreamId = 0;
  /** A header block that goes on in CONTINUATION frames. */
  #block: HeaderFragments | undefined;
  #hasSettings = false;
  #isLeaving = false;
  #isDead = false;
  #resets = 0;
  #finished = 0;
  #out: Buffer[] = [];
  #isFlushDue = false;

  constructor(socket: Duplex, settings: ConnectionSettings) {
    this.#socket = socket;
    this.#settings = settings;
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
    return this.#hasSettings;
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
    this.#isDead = true;
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

  frame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (this.#isDead) return;
    if (!this.#hasSettings && type !== frameTypes.settings) {
      throw protocolError("the first frame is not SETTINGS");
    }
    if (
      this.#block !== undefined &&
      (type !== frameTypes.continuation || streamId !== this.#block.streamId)
    ) {
      throw protocolError("a frame in the middle of a header block");
    }
    switch (type) {
      case frameTypes.data:
        this.#data(flags, streamId, payload);
        break;
      case frameTypes.headers:
        this.#headers(flags, streamId, payload);
        break;
      case frameTypes.priority:
        this.#priority(streamId, payload);
        break;
      case frameTypes.rstStream:
        this.#rstStream(streamId, payload);
        break;
      case frameTypes.settings:
        this.#peerSettings(flags, streamId, payload);
        break;
      case frameTypes.pushPromise:
        throw protocolError("PUSH_PROMISE from a client");
      case frameTypes.ping:
        this.#ping(flags, streamId, payload);
        break;
      case frameTypes.goAway:
        this.#goAway(streamId, payload);
        break;
      case frameTypes.windowUpdate:
        this.#windowUpdate(streamId, payload);
        break;
      case frameTypes.continuation:
        this.#continuation(flags, payload);
      // Types that we do not know are to be ignored.
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
      this.#flush();
      this.#forget();
      this.#socket.end();
    }
  }

  #data(flags: number, streamId: number, payload: Buffer): void {
    this.#checkOpened(streamId, "DATA");
    this.#windowBytes -= payload.length;
    if (this.#windowBytes < 0) throw new Http2Error(errorCodes.flowControlError, "DATA over the window");
    if (this.#windowBytes < connectionWindowBytes / 2) {
      this.#write(encodeWindowUpdate(0, connectionWindowBytes - this.#windowBytes));
      this.#windowBytes = connectionWindowBytes;
    }
    const piece = dataOf(flags, payload);
    const request = this.#requests.get(streamId);
    if (request === undefined) {
      if (!this.#abandoned.has(streamId)) this.#streamError(streamId, errorCodes.streamClosed);
      return;
    }
    request.windowBytes -= payload.length;
    if (request.windowBytes < 0) {
      this.#reset(request, errorCodes.flowControlError);
      return;
    }
    const endsStream = (flags & frameFlags.endStream) !== 0;
    const failure = request.add(piece);
    if (failure !== undefined) this.#refuse(request, failure, endsStream);
    else if (endsStream) this.#complete(request);
    else if (request.windowBytes < streamWindowBytes / 2) {
      this.#write(encodeWindowUpdate(streamId, streamWindowBytes - request.windowBytes));
      request.windowBytes = streamWindowBytes;
    }
  }

  #headers(flags: number, streamId: number, payload: Buffer): void {
    if (streamId % 2 === 0) throw protocolError("HEADERS on a stream that no client opens");
    const piece = headerBlockOf(flags, streamId, payload);
    if ((flags & frameFlags.endHeaders) !== 0) this.#headerBlock(streamId, flags, piece);
    else this.#block = new HeaderFragments(streamId, flags, piece, maxHeaderBlockBytes);
  }

  #continuation(flags: number, payload: Buffer): void {
    const block = this.#block;
    if (block === undefined) throw protocolError("CONTINUATION without HEADERS");
    block.add(payload);
    if ((flags & frameFlags.endHeaders) === 0) return;
    this.#block = undefined;
    this.#headerBlock(block.streamId, block.flags, block.join());
  }

  /** @param flags of the HEADERS frame */
  #headerBlock(streamId: number, flags: number, bytes: Buffer): void {
    const endsStream = (flags & frameFlags.endStream) !== 0;
    const fields = decodeHeaderBlock(this.#hpack, bytes);
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
    this.#open(streamId, endsStream, fields);
  }

  /** @param fields undefined when there were too many */
  #open(streamId: number, endsStream: boolean, fields: HeaderField[] | undefined): void {
    if (this.#requests.size + this.#answering.size + this.#sending.size >= maxConcurrentStreams) {
      this.#remember(this.#abandoned, streamId);
      this.#write(encodeRstStream(streamId, errorCodes.refusedStream));
      return;
    }
    if (fields === undefined) {
      this.#answerHttp(streamId, { httpStatus: 431, text: "431 request header fields too large" });
      this.#closeEarly(streamId, endsStream);
      return;
    }
    const headers = readRequestHeaders(fields);
    if (typeof headers === "string" || (endsStream && (headers.contentLength ?? 0) !== 0)) {
      this.#remember(this.#abandoned, streamId);
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
      { id: streamId, target, fields, encoding, contentLength, windowBytes: streamWindowBytes },
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
    this.#sending.send(streamId, Buffer.from(text), noTrailers);
  }

  /** Answered in full, though the client may still be sending. */
  #closeEarly(streamId: number, hasEnded: boolean): void {
    if (hasEnded) {
      this.#finish(streamId);
      return;
    }
    this.#remember(this.#abandoned, streamId);
    if (!this.#sending.has(streamId)) this.#write(encodeRstStream(streamId, errorCodes.noError));
    this.#endWhenIdle();
  }

  #finish(streamId: number): void {
    this.#finished++;
    this.#remember(this.#closed, streamId);
    this.#endWhenIdle();
  }

  #abandon(request: RequestStream): void {
    request.release();
    this.#requests.delete(request.id);
    this.#sending.drop(request.id);
    this.#remember(this.#abandoned, request.id);
    this.#endWhenIdle();
  }

  #reset(request: RequestStream, errorCode: number): void {
    this.#abandon(request);
    this.#write(encodeRstStream(request.id, errorCode));
  }

  /** Answers a frame on a stream that is closed. */
  #streamError(streamId: number, errorCode: number): void {
    this.#countReset();
    this.#answering.delete(streamId);
    this.#sending.drop(streamId);
    this.#write(encodeRstStream(streamId, errorCode));
  }

  #rstStream(streamId: number, payload: Buffer): void {
    if (payload.length !== 4) throw new Http2Error(errorCodes.frameSizeError, "RST_STREAM not of 4 bytes");
    this.#checkOpened(streamId, "RST_STREAM");
    const request = this.#requests.get(streamId);
    request?.release();
    const wasOpen = this.#requests.delete(streamId) || this.#answering.delete(streamId);
    this.#sending.drop(streamId);
    this.#remember(this.#closed, streamId);
    if (wasOpen) this.#countReset();
    this.#endWhenIdle();
  }

  /** Calls that are begun and broken off cost us work that their sender does not share. Source: CVE-2023-44487 */
  #countReset(): void {
    this.#resets++;
    if (this.#resets > resetBurst + this.#finished / 2) {
      throw new Http2Error(errorCodes.enhanceYourCalm, "too many calls are broken off");
    }
  }

  #priority(streamId: number, payload: Buffer): void {
    if (streamId === 0) throw protocolError("PRIORITY on stream 0");
    if (payload.length !== 5) {
      this.#streamError(streamId, errorCodes.frameSizeError);
    } else if ((payload.readUInt32BE(0) & highestStreamId) === streamId) {
      this.#streamError(streamId, errorCodes.protocolError);
    }
  }

  #peerSettings(flags: number, streamId: number, payload: Buffer): void {
    if (streamId !== 0) throw protocolError("SETTINGS on a stream");
    const isAck = (flags & frameFlags.ack) !== 0;
    if (isAck && payload.length > 0) {
      throw new Http2Error(errorCodes.frameSizeError, "an acknowledgement of SETTINGS is not empty");
    }
    if (isAck) return;
    this.#hasSettings = true;
    const initialWindowBytes = settingsOf(payload).get(settingIds.initialWindowSize);
    this.#write(encodeFrame(frameTypes.settings, frameFlags.ack, 0, Buffer.alloc(0)));
    if (initialWindowBytes !== undefined) {
      this.#sending.setInitial(initialWindowBytes);
      this.#endWhenIdle();
    }
  }

  #ping(flags: number, streamId: number, payload: Buffer): void {
    if (streamId !== 0) throw protocolError("PING on a stream");
    if (payload.length !== 8) throw new Http2Error(errorCodes.frameSizeError, "PING not of 8 bytes");
    if ((flags & frameFlags.ack) === 0) {
      this.#write(encodeFrame(frameTypes.ping, frameFlags.ack, 0, payload));
    }
  }

  #goAway(streamId: number, payload: Buffer): void {
    if (streamId !== 0) throw protocolError("GOAWAY on a stream");
    if (payload.length < 8) throw new Http2Error(errorCodes.frameSizeError, "GOAWAY of under 8 bytes");
    this.#isLeaving = true;
    this.#endWhenIdle();
  }

  #windowUpdate(streamId: number, payload: Buffer): void {
    if (payload.length !== 4) {
      throw new Http2Error(errorCodes.frameSizeError, "WINDOW_UPDATE not of 4 bytes");
    }
    const increment = payload.readUInt32BE(0) & highestStreamId;
    if (streamId === 0) {
      if (increment === 0) throw protocolError("WINDOW_UPDATE of 0");
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
    this.#streamError(streamId, errorCode);
  }

  /** @throws Http2Error for stream 0 and for streams that the client has not opened */
  #checkOpened(streamId: number, what: string): void {
    if (streamId === 0 || streamId % 2 === 0 || streamId > this.#lastStreamId) {
      // While we are leaving, streams that were never opened are those we did not take.
      if (this.#isLeaving && streamId > this.#lastStreamId) return;
      throw protocolError(`${what} on stream ${streamId}, which is not open`);
    }
  }

  #remember(set: Set<number>, streamId: number): void {
    set.add(streamId);
    if (set.size <= rememberedStreams) return;
    for (const oldest of set) {
      set.delete(oldest);
      return;
    }
  }

  #endWhenIdle(): void {
    if (!this.#isLeaving || this.#isDead) return;
    if (this.#requests.size > 0 || this.#answering.size > 0 || this.#sending.size > 0) return;
    this.#flush();
    this.#isDead = true;
    this.#socket.end();
  }

  /** Gives back what calls under way hold; their answers go nowhere. */
  #forget(): void {
    this.#isDead = true;
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

  /** Frames of one turn go out in one piece. */
  #write(frame: Buffer): void {
    if (this.#isDead) return;
    this.#out.push(frame);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    process.nextTick(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushDue = false;
    const [only, ...others] = this.#out;
    if (only === undefined || this.#socket.destroyed || this.#socket.writableEnded) return;
    this.#socket.write(others.length === 0 ? only : Buffer.concat(this.#out));
    this.#out = [];
    if (this.#socket.writableLength > maxUnreadBytes) this.destroy();
  }
}

function protocolError(what: string): Http2Error {
  return new Http2Error(errorCodes.protocolError, what);
}
