import type { Socket } from "node:net";
import {
  clientPreface,
  defaultWindowBytes,
  encodeGoAway,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  FloodGuard,
  FrameDispatcher,
  FrameReader,
  HpackEncoder,
  Http2Error,
  settingIds,
} from "http-protocols/http2";
import { ServerError } from "server-core/errors";
import { closeLingering } from "../close-lingering.ts";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { HeaderList } from "../header-list.ts";
import type { DetachedConnection, HttpStream } from "../http-stream.ts";
import { SendWatch } from "../send-watch.ts";
import { ClientFrames, type FrameOwner, maxStreams } from "./client-frames.ts";
import { FrameWriter } from "./frame-writer.ts";
import { type H2Carrier, H2Stream } from "./h2-stream.ts";
import { latenessOf } from "./lateness.ts";
import type { PromisedRequest } from "./promised-request.ts";
import { PushedStreams } from "./pushed-streams.ts";
import { connectionWindowBytes, ReceiveWindow, streamWindowBytes } from "./receive-window.ts";
import { addFields } from "./response-fields.ts";
import { type SchedulerOwner, SendScheduler } from "./send-scheduler.ts";
import { StreamTable } from "./stream-table.ts";

/** The listener, as far as a connection needs it. */
export interface H2Owner {
  readonly limits: ConnectionLimits;
  take(stream: HttpStream): void;
  /** Work for a stream threw what no code foresaw: the stream is broken off. */
  fault(error: unknown): void;
  h2Closed(connection: H2Connection): void;
  /** A stream left HTTP. */
  tunnelOpened(tunnel: DetachedConnection): void;
}

/** Limit of a compressed header block. */
const maxHeaderBlockBytes = 256 * 1024;
/** Limit of unsent data, including answers to PING and SETTINGS, for a client that does not read. */
const maxUnreadBytes = 1024 * 1024;
/** SETTINGS_ENABLE_CONNECT_PROTOCOL. Source: RFC 8441, section 3 */
const enableConnectProtocol = 8;

/**
 * One connection that speaks HTTP/2. Clients that break its rules get what RFC 9113 says; what would cost us more than
 * them ends the connection (ENHANCE_YOUR_CALM).
 *
 * Source: RFC 9113, RFC 8441
 */
export class H2Connection implements FrameOwner, H2Carrier, SchedulerOwner {
  readonly socket: Socket;
  readonly #owner: H2Owner;
  readonly #frames: ClientFrames;
  readonly #dispatcher: FrameDispatcher;
  readonly #reader: FrameReader;
  readonly #encoder = new HpackEncoder();
  readonly #writer: FrameWriter;
  readonly #guard = new FloodGuard();
  readonly #streams: StreamTable;
  readonly #scheduler: SendScheduler;
  readonly #window: ReceiveWindow;
  readonly #pushed: PushedStreams;
  /** Whether no new streams are taken. */
  isLeaving = false;
  #isDead = false;
  /** Times as of `Date.now()`. */
  #idleSince: number;
  readonly #sending: SendWatch;

  /** @param socket may contain bytes that were read too early and put back */
  constructor(socket: Socket, owner: H2Owner, now: number) {
    this.socket = socket;
    this.#owner = owner;
    this.#idleSince = now;
    this.#sending = new SendWatch(now);
    const { maxHeaderBytes } = owner.limits;
    this.#writer = new FrameWriter(socket, () => this.#turnEnded());
    this.#scheduler = new SendScheduler(this.#writer, this);
    this.#streams = new StreamTable(this.#writer, this.#guard, this.#scheduler);
    this.#window = new ReceiveWindow(this.#writer);
    this.#pushed = new PushedStreams(this.#writer, this.#encoder);
    this.#frames = new ClientFrames(this, maxHeaderBytes, {
      writer: this.#writer,
      encoder: this.#encoder,
      guard: this.#guard,
      streams: this.#streams,
      scheduler: this.#scheduler,
      window: this.#window,
      pushed: this.#pushed,
    });
    this.#dispatcher = new FrameDispatcher(this.#frames, { maxHeaderBlockBytes });
    this.#reader = new FrameReader(this.#dispatcher, clientPreface);
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

  /** Takes no new streams, ends tunnels that do not end by themselves, and closes when the last stream is done. */
  closeWhenIdle(): void {
    if (this.isLeaving || this.#isDead) {
      return;
    }
    this.isLeaving = true;
    this.#writer.frame(encodeGoAway(this.#streams.lastId, errorCodes.noError));
    for (const stream of this.#streams.all()) {
      if (stream.isTunnel && !stream.leavesByItself) {
        this.breakOff(stream, errorCodes.cancel);
      }
    }
    this.endWhenIdle();
  }

  /** Looks for what took too long. @param now as of `Date.now()` */
  checkTimeouts(now: number): void {
    const { idleTimeoutMs, readHeaderTimeoutMs } = this.#owner.limits;
    const begunAt = this.#dispatcher.hasSettings ? this.#frames.blockSince : this.#idleSince;
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
      try {
        this.#checkStream(stream, now);
      } catch (error) {
        this.broken(stream, error);
      }
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

  tunnelOpened(tunnel: DetachedConnection): void {
    this.#owner.tunnelOpened(tunnel);
  }

  dataSent(): void {
    this.#guard.dataSent();
  }

  breakOff(stream: H2Stream, errorCode: number): void {
    if (this.#streams.remove(stream, "abandoned")) {
      this.#writer.frame(encodeRstStream(stream.id, errorCode));
      this.#lose(stream, "the stream was broken off");
      this.streamGone(stream.id);
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
      this.streamGone(stream.id);
    }
  }

  get takesPushes(): boolean {
    return !this.isLeaving && !this.#isDead && this.#pushed.hasRoom;
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
    process.nextTick(() => this.#take(stream));
    return true;
  }

  #take(stream: H2Stream): void {
    if (!stream.closed) {
      try {
        this.#owner.take(stream);
      } catch (error) {
        this.broken(stream, error);
      }
    }
  }

  broken(stream: H2Stream, error: unknown): void {
    this.breakOff(stream, errorCodes.internalError);
    this.#owner.fault(error);
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
    if (this.#dispatcher.isInHeaders && this.#frames.blockSince === 0) {
      this.#frames.blockSince = Date.now();
    }
    // Data that came with a request's head is stored before handlers run.
    if (this.#frames.opened.length > 0) {
      for (const stream of this.#frames.takeOpened()) {
        this.#take(stream);
      }
    }
    if (this.#writer.unsentBytes > maxUnreadBytes) {
      this.socket.destroy();
    }
  }

  #turnEnded(): void {
    this.#scheduler.run();
    this.endWhenIdle();
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

  /** A stream is not open any more. */
  streamGone(streamId: number): void {
    if (this.#pushed.isPromised(streamId)) {
      this.#pushed.ended();
    }
    if (this.#streams.size === 0) {
      this.#idleSince = Date.now();
      this.endWhenIdle();
    }
  }

  /** Closes when no new streams are taken and none is open. */
  endWhenIdle(): void {
    if (this.isLeaving && !this.#isDead && this.#streams.size === 0) {
      this.#writer.flush();
      this.#die();
      closeLingering(this.socket);
    }
  }

  #die(): void {
    this.#isDead = true;
    this.#dispatcher.stop();
  }

  /** Tells all streams that no more data will come. */
  #forget(): void {
    if (this.#isDead && this.#streams.size === 0) {
      return;
    }
    this.#die();
    this.#frames.takeOpened();
    for (const stream of this.#streams.clear()) {
      this.#lose(stream, "the client closed the connection");
    }
  }

  #lose(stream: H2Stream, why: string): void {
    try {
      stream.streamLost(new ServerError("CLIENT_GONE", why));
    } catch (error) {
      this.#owner.fault(error);
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
