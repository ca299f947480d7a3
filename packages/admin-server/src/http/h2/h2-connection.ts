import type { Socket } from "node:net";
import {
  clientPreface,
  decodeHeaderBlock,
  defaultWindowBytes,
  encodeGoAway,
  encodePingAck,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  FrameDispatcher,
  type FrameHandler,
  FrameReader,
  type HeaderField,
  HpackDecoder,
  HpackEncoder,
  Http2Error,
  settingIds,
  settingsAck,
} from "wire/http2";
import { ServerError } from "../../core/errors.ts";
import { closeLingering } from "../close-lingering.ts";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { HeaderList } from "../header-list.ts";
import type { HttpStream } from "../http-stream.ts";
import { SendWatch } from "../send-watch.ts";
import { FloodGuard } from "./flood-guard.ts";
import { FrameWriter } from "./frame-writer.ts";
import { type H2Carrier, H2Stream } from "./h2-stream.ts";
import { latenessOf } from "./lateness.ts";
import type { PromisedRequest } from "./promised-request.ts";
import { PushedStreams } from "./pushed-streams.ts";
import { connectionWindowBytes, ReceiveWindow, streamWindowBytes } from "./receive-window.ts";
import { readRequestFields, readTrailerFields } from "./request-fields.ts";
import { addFields } from "./response-fields.ts";
import { type SchedulerOwner, SendScheduler } from "./send-scheduler.ts";
import { StreamTable } from "./stream-table.ts";

/** What a connection needs of its listener. */
export interface H2Owner {
  readonly limits: ConnectionLimits;
  take(stream: HttpStream): void;
  h2Closed(connection: H2Connection): void;
}

/** Streams at once in a connection. Source: the model's server */
const maxStreams = 250;
const maxHeaderFields = 1_000;
/** Of a header block as it is sent, packed. */
const maxHeaderBlockBytes = 256 * 1024;
/** What waits for a client that does not read, with answers to PING, SETTINGS and the like. */
const maxUnreadBytes = 1024 * 1024;
/** SETTINGS_ENABLE_CONNECT_PROTOCOL. Source: RFC 8441, section 3 */
const enableConnectProtocol = 8;

/**
 * One connection that speaks HTTP/2. Clients that break its rules get what RFC 9113 says; what would cost us more than
 * them ends the connection (ENHANCE_YOUR_CALM).
 *
 * Source: RFC 9113, RFC 8441
 */
export class H2Connection implements FrameHandler, H2Carrier, SchedulerOwner {
  readonly socket: Socket;
  readonly #owner: H2Owner;
  readonly #frames = new FrameDispatcher(this, { maxHeaderBlockBytes });
  readonly #reader = new FrameReader(this.#frames, clientPreface);
  readonly #decoder: HpackDecoder;
  readonly #encoder = new HpackEncoder();
  readonly #writer: FrameWriter;
  readonly #guard = new FloodGuard();
  readonly #streams: StreamTable;
  /** Streams that were opened by what is being read, and whose requests nobody has got yet. */
  #opened: H2Stream[] = [];
  readonly #scheduler: SendScheduler;
  readonly #window: ReceiveWindow;
  readonly #pushed: PushedStreams;
  #isLeaving = false;
  #isDead = false;
  /** Times as of `Date.now()`. */
  #idleSince: number;
  readonly #sending: SendWatch;
  /** A header block goes on in CONTINUATION frames; 0: none does. */
  #blockSince = 0;

  /** @param socket may have bytes that were read too early, put back */
  constructor(socket: Socket, owner: H2Owner, now: number) {
    this.socket = socket;
    this.#owner = owner;
    this.#idleSince = now;
    this.#sending = new SendWatch(now);
    const { maxHeaderBytes } = owner.limits;
    this.#decoder = new HpackDecoder({ maxListBytes: maxHeaderBytes });
    this.#writer = new FrameWriter(socket, () => this.#turnEnded());
    this.#scheduler = new SendScheduler(this.#writer, this);
    this.#streams = new StreamTable(this.#writer, this.#guard, this.#scheduler);
    this.#window = new ReceiveWindow(this.#writer);
    this.#pushed = new PushedStreams(this.#writer, this.#encoder);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#scheduler.run());
    socket.on("end", () => this.#clientGone());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#forget();
      owner.h2Closed(this);
    });
    this.#writer.frame(
      encodeSettings(
        new Map([
          [settingIds.maxConcurrentStreams, maxStreams],
          [settingIds.initialWindowSize, streamWindowBytes],
          [settingIds.maxHeaderListSize, maxHeaderBytes],
          [enableConnectProtocol, 1],
        ]),
      ),
    );
    this.#writer.frame(encodeWindowUpdate(0, connectionWindowBytes - defaultWindowBytes));
    socket.resume();
  }

  // Called by the owner

  /** Takes no new streams, ends tunnels, and closes when the last stream is done. */
  closeWhenIdle(): void {
    if (this.#isLeaving || this.#isDead) {
      return;
    }
    this.#isLeaving = true;
    this.#writer.frame(encodeGoAway(this.#streams.lastId, errorCodes.noError));
    for (const stream of this.#streams.all()) {
      if (stream.isTunnel) {
        this.breakOff(stream, errorCodes.cancel);
      }
    }
    this.#endWhenIdle();
  }

  /** Looks for what took too long. @param now as of `Date.now()` */
  checkTimeouts(now: number): void {
    const { idleTimeoutMs, readHeaderTimeoutMs } = this.#owner.limits;
    const begunAt = this.#frames.hasSettings ? this.#blockSince : this.#idleSince;
    if (begunAt > 0 && readHeaderTimeoutMs > 0 && now - begunAt >= readHeaderTimeoutMs) {
      this.socket.destroy();
      return;
    }
    if (this.#streams.size === 0) {
      if (idleTimeoutMs > 0 && now - this.#idleSince >= idleTimeoutMs) {
        this.closeWhenIdle();
      }
      return;
    }
    const streams = this.#streams.all();
    const hasMore =
      this.socket.writableLength > 0 || streams.some((each) => each.sending.bytes > 0 && !each.isTunnel);
    if (this.#sending.isTooSlow(now, this.socket, hasMore, this.#owner.limits)) {
      this.socket.destroy();
      return;
    }
    for (const stream of streams) {
      this.#checkStream(stream, now);
    }
  }

  // Called by streams

  sendHeaders(streamId: number, ownFields: HeaderList, fields: HeaderList, endsStream: boolean): void {
    const encoder = this.#encoder;
    encoder.begin();
    for (let index = 0; index < ownFields.length; index += 2) {
      encoder.add(ownFields[index] as string, ownFields[index + 1] as string);
    }
    addFields(encoder, fields);
    this.#writer.headers(streamId, endsStream, encoder.end());
  }

  sendTrailers(streamId: number, trailers: HeaderList): void {
    this.sendHeaders(streamId, [], trailers, true);
  }

  queued(stream: H2Stream): void {
    this.#scheduler.add(stream);
  }

  taken(stream: H2Stream, bytes: number): void {
    this.#window.release(bytes, stream);
  }

  dataSent(): void {
    this.#guard.dataSent();
  }

  breakOff(stream: H2Stream, errorCode: number): void {
    if (this.#streams.remove(stream, "abandoned")) {
      this.#writer.frame(encodeRstStream(stream.id, errorCode));
      stream.streamLost(new ServerError("CLIENT_GONE", "the stream was broken off"));
      this.#streamGone(stream.id);
    }
  }

  finished(stream: H2Stream): void {
    if (this.#streams.remove(stream, "closed")) {
      if (this.#pushed.isPromised(stream.id)) {
        this.#pushed.taken();
      } else {
        this.#guard.streamEnded();
      }
      stream.streamOver();
      this.#streamGone(stream.id);
    }
  }

  get takesPushes(): boolean {
    return !this.#isLeaving && !this.#isDead && this.#pushed.hasRoom;
  }

  push(parent: H2Stream, request: PromisedRequest): boolean {
    if (!this.takesPushes) {
      return false;
    }
    const streamId = this.#pushed.promise(parent.id, request);
    const windows = { send: this.#scheduler.initialBytes, receive: 0 };
    const stream = new H2Stream(this, streamId, request.head, true, windows, Date.now());
    this.#streams.add(stream);
    // Not in the middle of the handler that pushes.
    process.nextTick(() => {
      if (!stream.closed) {
        this.#owner.take(stream);
      }
    });
    return true;
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
    if (this.#frames.isInHeaders && this.#blockSince === 0) {
      this.#blockSince = Date.now();
    }
    // What came with the head of a request is there before anybody looks at it.
    const opened = this.#opened;
    if (opened.length > 0) {
      this.#opened = [];
      for (const stream of opened) {
        if (!stream.closed) {
          this.#owner.take(stream);
        }
      }
    }
    if (this.#writer.unsentBytes > maxUnreadBytes) {
      this.socket.destroy();
    }
  }

  data(streamId: number, piece: Buffer, frameBytes: number, endsStream: boolean): void {
    this.#streams.checkOpened(streamId, "DATA", this.#isLeaving);
    this.#window.take(frameBytes);
    if (piece.length === 0 && !endsStream) {
      this.#guard.idleFrame();
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined || stream.requestEnded) {
      this.#window.release(frameBytes);
      this.#late(streamId, stream);
      return;
    }
    stream.receiveWindowBytes -= frameBytes;
    if (stream.receiveWindowBytes < 0) {
      this.#window.release(frameBytes);
      this.#fault(stream, errorCodes.flowControlError);
      return;
    }
    this.taken(stream, frameBytes - piece.length);
    if (!stream.receive(piece)) {
      this.#window.release(piece.length);
      this.#fault(stream, errorCodes.protocolError);
    } else if (endsStream && !stream.receiveEnd([])) {
      this.#fault(stream, errorCodes.protocolError);
    }
  }

  headers(streamId: number, bytes: Buffer, endsStream: boolean): void {
    this.#blockSince = 0;
    if (streamId % 2 === 0) {
      throw new Http2Error(errorCodes.protocolError, "HEADERS on a stream that no client opens");
    }
    const fields = decodeHeaderBlock(this.#decoder, bytes);
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) {
      this.#trailers(stream, endsStream, fields);
      return;
    }
    if (this.#streams.isNew(streamId) && !this.#isLeaving) {
      this.#streams.opened(streamId);
      this.#open(streamId, endsStream, fields);
    }
  }

  /** @param fields undefined when there were too many */
  #open(streamId: number, endsStream: boolean, fields: HeaderField[] | undefined): void {
    if (this.#streams.size - this.#pushed.size >= maxStreams) {
      this.#guard.reset();
      this.#streams.refuse(streamId, errorCodes.refusedStream);
      return;
    }
    if (fields === undefined || fields.length > maxHeaderFields) {
      this.sendHeaders(streamId, [":status", "431", "content-length", "0"], [], true);
      this.#guard.reset();
      if (endsStream) {
        this.#streams.answered(streamId);
      } else {
        this.#streams.refuse(streamId, errorCodes.noError);
      }
      return;
    }
    const head = readRequestFields(fields);
    if (typeof head === "string" || (endsStream && (head.contentLength ?? 0) > 0)) {
      this.#guard.reset();
      this.#streams.refuse(streamId, errorCodes.protocolError);
      return;
    }
    const windows = { send: this.#scheduler.initialBytes, receive: streamWindowBytes };
    const stream = new H2Stream(this, streamId, head, endsStream, windows, Date.now());
    this.#streams.add(stream);
    this.#opened.push(stream);
  }

  #trailers(stream: H2Stream, endsStream: boolean, fields: HeaderField[] | undefined): void {
    if (stream.requestEnded) {
      this.#late(stream.id, stream);
      return;
    }
    const trailers = fields === undefined || !endsStream ? "malformed" : readTrailerFields(fields);
    if (typeof trailers === "string" || !stream.receiveEnd(trailers)) {
      this.#fault(stream, errorCodes.protocolError);
    }
  }

  /** A frame on a stream whose request is over. */
  #late(streamId: number, stream: H2Stream | undefined): void {
    if (stream !== undefined) {
      this.#fault(stream, errorCodes.streamClosed);
    } else {
      this.#streams.late(streamId);
    }
  }

  /** The client did what breaks a stream. */
  #fault(stream: H2Stream, errorCode: number): void {
    this.#guard.reset();
    this.breakOff(stream, errorCode);
  }

  streamError(streamId: number, errorCode: number): void {
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) {
      this.#fault(stream, errorCode);
    } else {
      this.#streams.reset(streamId, errorCode);
    }
  }

  idleFrame(): void {
    this.#guard.idleFrame();
  }

  reset(streamId: number): void {
    const isPushed = this.#pushed.isPromised(streamId);
    if (!isPushed) {
      this.#streams.checkOpened(streamId, "RST_STREAM", this.#isLeaving);
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined) {
      this.#guard.idleFrame();
      return;
    }
    this.#streams.remove(stream, "closed");
    stream.streamLost(new ServerError("CLIENT_GONE", "the client closed the stream"));
    this.#streamGone(streamId);
    if (isPushed) {
      this.#pushed.refused();
    } else {
      this.#guard.reset();
    }
  }

  settings(settings: ReadonlyMap<number, number>): void {
    this.#guard.idleFrame();
    this.#writer.frame(settingsAck);
    const tableBytes = settings.get(settingIds.headerTableSize);
    if (tableBytes !== undefined) {
      this.#encoder.setTableLimit(tableBytes);
    }
    this.#pushed.apply(settings);
    const windowBytes = settings.get(settingIds.initialWindowSize);
    if (windowBytes !== undefined) {
      this.#scheduler.setInitial(windowBytes, this.#streams.values());
    }
  }

  ping(payload: Buffer): void {
    this.#guard.idleFrame();
    this.#writer.frame(encodePingAck(payload));
  }

  goAway(lastTaken: number): void {
    this.#isLeaving = true;
    if (this.#pushed.size > 0) {
      this.#dropPushed(lastTaken);
    }
    this.#endWhenIdle();
  }

  /** The client takes no notice of pushed streams above the last that its GOAWAY names. */
  #dropPushed(lastTaken: number): void {
    for (const stream of this.#streams.all()) {
      if (stream.id > lastTaken && this.#pushed.isPromised(stream.id)) {
        this.breakOff(stream, errorCodes.cancel);
      }
    }
  }

  windowUpdate(streamId: number, increment: number): void {
    this.#guard.windowUpdate();
    if (streamId === 0) {
      this.#scheduler.grant(increment);
      return;
    }
    if (!this.#pushed.isPromised(streamId)) {
      this.#streams.checkOpened(streamId, "WINDOW_UPDATE", this.#isLeaving);
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined) {
      return;
    }
    if (increment === 0) {
      this.#fault(stream, errorCodes.protocolError);
    } else if (!this.#scheduler.grantStream(stream, increment)) {
      this.#fault(stream, errorCodes.flowControlError);
    }
  }

  #turnEnded(): void {
    this.#scheduler.run();
    this.#endWhenIdle();
  }

  // The end

  /** Ends the connection for a fault of the client. */
  #fail(errorCode: number, reason: string): void {
    const { socket } = this;
    const text = reason.slice(0, 200).replace(/[^ -~]/g, "?");
    this.#writer.frame(encodeGoAway(this.#streams.lastId, errorCode, text));
    this.#forget();
    this.#writer.flush();
    closeLingering(socket);
  }

  #clientGone(): void {
    this.#forget();
    this.socket.end(() => this.socket.destroy());
  }

  #streamGone(streamId: number): void {
    if (this.#pushed.isPromised(streamId)) {
      this.#pushed.ended();
    }
    if (this.#streams.size === 0) {
      this.#idleSince = Date.now();
      this.#endWhenIdle();
    }
  }

  #endWhenIdle(): void {
    if (this.#isLeaving && !this.#isDead && this.#streams.size === 0) {
      this.#writer.flush();
      this.#die();
      closeLingering(this.socket);
    }
  }

  #die(): void {
    this.#isDead = true;
    this.#frames.stop();
  }

  /** Tells all streams that nothing comes of them any more. */
  #forget(): void {
    if (this.#isDead && this.#streams.size === 0) {
      return;
    }
    this.#die();
    this.#opened = [];
    for (const stream of this.#streams.clear()) {
      stream.streamLost(new ServerError("CLIENT_GONE", "the client closed the connection"));
    }
  }

  #checkStream(stream: H2Stream, now: number): void {
    const lateness = latenessOf(stream, this.#owner.limits, now);
    if (lateness === "body" && !stream.complete) {
      stream.failBody(new ServerError("HTTP_TIMEOUT", "the client took too long to send the body"));
    } else if (lateness !== undefined) {
      this.breakOff(stream, stream.complete ? errorCodes.noError : errorCodes.cancel);
    }
  }
}
