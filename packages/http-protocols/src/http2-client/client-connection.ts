import type { Duplex } from "node:stream";
import type { HeaderList } from "../header-list.ts";
import { FloodGuard } from "../http2/flood-guard.ts";
import { FrameDispatcher } from "../http2/frame-dispatcher.ts";
import { FrameReader } from "../http2/frame-reader.ts";
import { FrameWriter } from "../http2/frame-writer.ts";
import {
  clientPreface,
  defaultWindowBytes,
  encodeGoAway,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  settingIds,
} from "../http2/frames.ts";
import { HpackDecoder } from "../http2/hpack-decoder.ts";
import { HpackEncoder } from "../http2/hpack-encoder.ts";
import { Http2Error } from "../http2/http2-error.ts";
import { ReceiveWindow, streamWindowBytes } from "../http2/receive-window.ts";
import { type SchedulerOwner, SendScheduler } from "../http2/send-scheduler.ts";
import { addFields } from "../http2/sent-fields.ts";
import { ClientStream, type ResponseListener, type StreamCarrier } from "./client-stream.ts";
import { type FrameOwner, ServerFrames } from "./server-frames.ts";
import { errorCodeText, StreamError } from "./stream-error.ts";

/** Size limit in bytes of a compressed header block, over all its frames. A longer block ends the connection. */
const maxHeaderBlockBytes = 256 * 1024;
/** Maximum number of streams that may be opened until the server's SETTINGS arrive. Source: Go's net/http */
const maxFirstStreams = 100;
/** With more unsent bytes than this, the connection accepts no new requests, because the server does not read. */
const maxWaitingBytes = 512 * 1024;
/** Maximum number of unsent bytes with all heads and answers to PING and SETTINGS, for a server that does not read. */
const maxUnsentBytes = 4 * 1024 * 1024;
const maxStreamId = 2 ** 31 - 1;
/** Milliseconds for sending the last frames; then the socket is destroyed. */
const closeMs = 500;

/** Time limits and sizes of a connection. */
export interface ClientConnectionLimits {
  /** Size limit in bytes of a response's fields; each field counts 32 bytes extra. A larger head ends the stream. */
  readonly maxHeaderBytes: number;
  /** Window of the connection: bytes of all responses that the server may send before a WINDOW_UPDATE. */
  readonly windowBytes: number;
  /** ID of the first stream, which must be odd. Default: 1. */
  readonly firstStreamId?: number;
}

/** The beginning of a request. */
export interface RequestFields {
  /** Pseudo-header fields, which are known to be valid. */
  readonly pseudo: HeaderList;
  /** All other fields, checked by `readSentFields`. Fields that concern the connection are left out. */
  readonly fields: HeaderList;
  /** True when the method is HEAD. */
  readonly isHead: boolean;
  /** True when the request has neither body nor trailers. */
  readonly endsStream: boolean;
}

/** Receives events of the whole connection. No method may throw. */
export interface ClientConnectionOwner {
  /** Called when more requests may be possible. */
  roomChanged(): void;
  /** Called when the connection accepts no more requests. Running requests continue. */
  leaving(): void;
  /** Called once, when the socket is closed and each stream has ended. */
  closed(): void;
}

/**
 * The client's side of one HTTP/2 connection: opens streams, manages windows, and passes on responses. If a server
 * violates the rules, the stream or connection ends, as RFC 9113 requires. No fault of a server throws. Server push is off.
 * Source: RFC 9113
 */
export class ClientConnection implements StreamCarrier, FrameOwner, SchedulerOwner {
  readonly #socket: Duplex;
  readonly #owner: ClientConnectionOwner;
  readonly #writer: FrameWriter;
  readonly #scheduler: SendScheduler;
  readonly #window: ReceiveWindow;
  readonly #encoder = new HpackEncoder();
  readonly #guard = new FloodGuard();
  readonly #dispatcher: FrameDispatcher;
  readonly #reader: FrameReader;
  readonly #streams = new Map<number, ClientStream>();
  #nextId: number;
  #maxStreams = maxFirstStreams;
  #goAwayCode: number | undefined;
  #hasBegun = false;
  #isLeaving = false;
  #isDead = false;
  #isClosed = false;

  /** @param socket connected socket; from now on only the connection uses it. Reading starts immediately */
  constructor(socket: Duplex, owner: ClientConnectionOwner, limits: ClientConnectionLimits) {
    const { maxHeaderBytes, windowBytes } = limits;
    this.#socket = socket;
    this.#owner = owner;
    this.#nextId = limits.firstStreamId ?? 1;
    this.#writer = new FrameWriter(socket, () => this.#scheduler.run());
    this.#scheduler = new SendScheduler(this.#writer, this);
    this.#window = new ReceiveWindow(this.#writer, windowBytes);
    const frames = new ServerFrames(this, {
      decoder: new HpackDecoder({ maxListBytes: maxHeaderBytes }),
      maxHeaderBytes,
      writer: this.#writer,
      encoder: this.#encoder,
      guard: this.#guard,
      streams: this.#streams,
      scheduler: this.#scheduler,
      window: this.#window,
    });
    this.#dispatcher = new FrameDispatcher(frames, { maxHeaderBlockBytes, mayBeginWithGoAway: true });
    this.#reader = new FrameReader(this.#dispatcher, undefined, true);
    this.#writer.frame(clientPreface);
    this.#writer.frame(
      encodeSettings(
        new Map([
          [settingIds.enablePush, 0],
          [settingIds.initialWindowSize, streamWindowBytes],
          [settingIds.maxHeaderListSize, maxHeaderBytes],
        ]),
      ),
    );
    this.#writer.frame(encodeWindowUpdate(0, windowBytes - defaultWindowBytes));
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#drained());
    socket.on("end", () => this.#lost("the server closed the connection"));
    socket.on("error", (error: Error) => this.#lost(error.message));
    socket.on("close", () => this.#closed());
    if (socket.destroyed) {
      process.nextTick(() => this.#closed()); // the socket's own events may have fired before
    }
  }

  // For the client

  /** True when a request can start now. */
  get hasRoom(): boolean {
    return (
      this.takesRequests &&
      this.#streams.size < this.#maxStreams &&
      this.#writer.unsentBytes < maxWaitingBytes
    );
  }

  /** True when requests can start now or later. */
  get takesRequests(): boolean {
    return !this.#isLeaving && !this.#isDead && !this.#socket.destroyed;
  }

  /** True when the server's settings have arrived; they contain the server's limit of streams. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get openStreams(): number {
    return this.#streams.size;
  }

  /** The error code of the server's GOAWAY; undefined when the server sent none. */
  get goAwayCode(): number | undefined {
    return this.#goAwayCode;
  }

  /**
   * Sends the head of a request, and its end if it has no body.
   * @param listener is not called before this method returns
   * @returns undefined when the connection cannot accept the request now
   */
  request(request: RequestFields, listener: ResponseListener): ClientStream | undefined {
    if (!this.hasRoom) {
      return undefined;
    }
    const id = this.#nextId;
    this.#nextId += 2;
    const { isHead, endsStream } = request;
    const stream = new ClientStream(this, listener, {
      id,
      isHead,
      endsStream,
      sendBytes: this.#scheduler.initialBytes,
      receiveBytes: streamWindowBytes,
    });
    this.#streams.set(id, stream);
    this.#guard.streamOpened();
    const encoder = this.#encoder;
    encoder.begin();
    for (let index = 0; index < request.pseudo.length; index += 2) {
      encoder.add(request.pseudo[index] as string, request.pseudo[index + 1] as string);
    }
    addFields(encoder, request.fields);
    this.#writer.headers(id, endsStream, encoder.end());
    if (this.#nextId > maxStreamId) {
      this.close(); // All stream IDs are used; the next connection starts again.
    }
    return stream;
  }

  /** Accepts no new requests, and closes the socket when the last stream has ended. */
  close(): void {
    this.#leave();
    this.#endWhenIdle();
  }

  // Called by streams

  queued(stream: ClientStream): void {
    if (this.#streams.has(stream.id)) {
      this.#scheduler.add(stream);
    }
  }

  taken(stream: ClientStream, bytes: number): void {
    if (this.#streams.has(stream.id)) {
      this.#window.releaseStream(bytes, stream);
    }
  }

  breakOff(stream: ClientStream, errorCode: number): void {
    if (this.#remove(stream)) {
      this.#writer.frame(encodeRstStream(stream.id, errorCode));
      this.#streamGone();
    }
  }

  // Called by the scheduler

  dataSent(): void {
    this.#guard.dataSent();
  }

  sendTrailers(streamId: number, trailers: HeaderList): void {
    this.#encoder.begin();
    addFields(this.#encoder, trailers);
    this.#writer.headers(streamId, true, this.#encoder.end());
  }

  // Called by frames

  get lastStreamId(): number {
    return this.#nextId - 2;
  }

  faulted(stream: ClientStream, errorCode: number, reason: string): void {
    if (this.#remove(stream)) {
      this.#writer.frame(encodeRstStream(stream.id, errorCode));
      stream.fail(new StreamError(reason));
      this.#streamGone();
    }
  }

  responseEnded(stream: ClientStream): void {
    if (this.#remove(stream)) {
      if (!stream.requestSent) {
        // The server has responded without the rest of the request, so the rest is not sent.
        this.#writer.frame(encodeRstStream(stream.id, errorCodes.noError));
      }
      stream.completed();
      this.#streamGone();
    }
  }

  wasReset(stream: ClientStream, error: StreamError): void {
    if (this.#remove(stream)) {
      stream.fail(error);
      this.#streamGone();
    }
  }

  settingsCame(maxStreams: number | undefined): void {
    // Without a limit, the server accepts any number.
    this.#maxStreams = maxStreams ?? (this.#hasBegun ? this.#maxStreams : Number.POSITIVE_INFINITY);
    this.#hasBegun = true;
    this.#owner.roomChanged();
  }

  serverLeaves(lastTaken: number, errorCode: number): void {
    this.#goAwayCode = errorCode;
    this.#leave();
    const message = `the server went away with ${errorCodeText(errorCode)}`;
    for (const stream of [...this.#streams.values()]) {
      if (stream.id > lastTaken && this.#remove(stream)) {
        stream.fail(new StreamError(message, { isUnseen: true }));
      }
    }
    if (errorCode === errorCodes.noError) {
      this.#endWhenIdle();
    } else {
      this.#lost(message);
    }
  }

  // Reading

  #receive(chunk: Buffer): void {
    if (this.#isDead) {
      return;
    }
    try {
      this.#reader.push(chunk);
    } catch (error) {
      const code = error instanceof Http2Error ? error.code : errorCodes.internalError;
      this.#fail(code, error instanceof Error ? error.message : String(error));
      return;
    }
    if (this.#writer.unsentBytes > maxUnsentBytes) {
      this.#fail(errorCodes.enhanceYourCalm, "the server does not read what it asks for");
    }
  }

  #drained(): void {
    this.#scheduler.run();
    if (!this.#isDead) {
      this.#owner.roomChanged();
    }
  }

  // The end

  /** @returns true when the stream was open */
  #remove(stream: ClientStream): boolean {
    this.#scheduler.remove(stream);
    const wasOpen = this.#streams.delete(stream.id);
    if (wasOpen) {
      this.#guard.streamEnded();
    }
    return wasOpen;
  }

  #streamGone(): void {
    if (!this.#isLeaving && !this.#isDead) {
      this.#owner.roomChanged();
    }
    this.#endWhenIdle();
  }

  #leave(): void {
    if (!this.#isLeaving && !this.#isDead) {
      this.#isLeaving = true;
      this.#owner.leaving();
    }
  }

  #endWhenIdle(): void {
    if (!this.#isLeaving || this.#isDead || this.#streams.size > 0) {
      return;
    }
    this.#die();
    const socket = this.#socket;
    this.#writer.frame(encodeGoAway(0, errorCodes.noError));
    this.#writer.flush();
    socket.end(() => socket.destroy());
    setTimeout(() => socket.destroy(), closeMs).unref();
  }

  /** Ends the connection for a fault of the server. */
  #fail(errorCode: number, reason: string): void {
    if (!this.#isDead) {
      const text = reason.slice(0, 200).replace(/[^ -~]/g, "?");
      this.#writer.frame(encodeGoAway(0, errorCode, text));
      this.#writer.flush();
      this.#lost(`the server broke HTTP/2: ${reason}`);
    }
  }

  /** Ends the connection; all its streams fail. */
  #lost(reason: string): void {
    if (this.#isDead) {
      return;
    }
    this.#leave();
    this.#die();
    this.#socket.end();
    this.#socket.destroy();
    const lost = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of lost) {
      stream.fail(new StreamError(reason, { isConnectionLost: true }));
    }
  }

  #closed(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#lost("the connection was closed");
      this.#owner.closed();
    }
  }

  #die(): void {
    this.#isDead = true;
    this.#dispatcher.stop();
    this.#scheduler.clear();
  }
}
