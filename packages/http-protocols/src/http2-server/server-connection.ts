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
import type { HeaderField } from "../http2/header-field.ts";
import { HpackDecoder } from "../http2/hpack-decoder.ts";
import { HpackEncoder } from "../http2/hpack-encoder.ts";
import { Http2Error } from "../http2/http2-error.ts";
import { ReceiveWindow, streamWindowBytes } from "../http2/receive-window.ts";
import { type SchedulerOwner, SendScheduler } from "../http2/send-scheduler.ts";
import { addFields } from "../http2/sent-fields.ts";
import { ClientFrames, type FrameOwner } from "./client-frames.ts";
import { PushedStreams } from "./pushed-streams.ts";
import type { OpeningFields, ServerStream } from "./server-stream.ts";
import { StreamTable } from "./stream-table.ts";

/**
 * Last stream ID in a first GOAWAY: streams that the client has already opened are still served. Source: RFC 9113,
 * section 6.8
 */
const allStreams = 0x7fff_ffff;
/** Maximum number of bytes of unsent data, including answers to PING and SETTINGS, for a client that does not read. */
const maxUnreadBytes = 1024 * 1024;

/** A server's limits for its clients' connections. */
export interface ServerConnectionLimits {
  /** Maximum number of streams that a client may have open at once; SETTINGS announce this number. */
  readonly maxStreams: number;
  /** Size limit of a header block's fields; each field counts 32 bytes extra. */
  readonly maxHeaderBytes: number;
  /** Size limit of a compressed header block, over all its frames. */
  readonly maxHeaderBlockBytes: number;
  /** Window of the connection: bytes of all bodies that a client may send before a WINDOW_UPDATE. */
  readonly windowBytes: number;
  /** Further settings that are sent to the client, by their IDs. */
  readonly settings?: ReadonlyMap<number, number>;
}

/**
 * The server's side of one HTTP/2 connection: reads frames, manages streams and windows, and sends queued data.
 * Violations of a client are handled as RFC 9113 requires. Too many frames that cost the server more than the client
 * end the connection (ENHANCE_YOUR_CALM). Subclasses create streams from the heads of requests.
 *
 * Source: RFC 9113
 */
export abstract class ServerConnection<Stream extends ServerStream>
  implements FrameOwner<Stream>, SchedulerOwner
{
  readonly #socket: Duplex;
  readonly #frames: ClientFrames<Stream>;
  readonly #dispatcher: FrameDispatcher;
  readonly #reader: FrameReader;
  readonly #encoder = new HpackEncoder();
  readonly #guard = new FloodGuard();
  readonly #scheduler: SendScheduler;
  readonly #window: ReceiveWindow;
  protected readonly pushed: PushedStreams;
  protected readonly streams: StreamTable<Stream>;
  protected readonly writer: FrameWriter;
  /** True when no new streams are accepted. */
  isLeaving = false;
  #isDead = false;

  /** @param socket may contain bytes that were read too early and pushed back into the socket */
  constructor(socket: Duplex, limits: ServerConnectionLimits) {
    const { maxStreams, maxHeaderBytes, maxHeaderBlockBytes, windowBytes } = limits;
    this.#socket = socket;
    this.writer = new FrameWriter(socket, () => this.#turnEnded());
    this.#scheduler = new SendScheduler(this.writer, this);
    this.streams = new StreamTable(this.writer, this.#guard, this.#scheduler);
    this.#window = new ReceiveWindow(this.writer, windowBytes);
    this.pushed = new PushedStreams(this.writer, this.#encoder);
    this.#frames = new ClientFrames<Stream>(this, {
      maxStreams,
      decoder: new HpackDecoder({ maxListBytes: maxHeaderBytes }),
      writer: this.writer,
      encoder: this.#encoder,
      guard: this.#guard,
      streams: this.streams,
      scheduler: this.#scheduler,
      window: this.#window,
      pushed: this.pushed,
    });
    this.#dispatcher = new FrameDispatcher(this.#frames, { maxHeaderBlockBytes });
    this.#reader = new FrameReader(this.#dispatcher, clientPreface);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#scheduler.run());
    socket.on("end", () => this.#clientGone());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#forget();
      this.connectionClosed();
    });
    this.writer.frame(
      encodeSettings(
        new Map([
          [settingIds.maxConcurrentStreams, maxStreams],
          [settingIds.initialWindowSize, streamWindowBytes],
          [settingIds.maxHeaderListSize, maxHeaderBytes],
          ...(limits.settings ?? []),
        ]),
      ),
    );
    this.writer.frame(encodeWindowUpdate(0, windowBytes - defaultWindowBytes));
    socket.resume();
  }

  // For the server

  /** Opens the stream of a request's head. */
  abstract openStream(streamId: number, opening: OpeningFields): Stream | "malformed" | "answered";
  abstract readTrailers(fields: readonly HeaderField[]): HeaderList | string;
  /** Called when all frames of one read were processed. */
  protected abstract readDone(): void;
  /** Called for each stream that ends early. @param why reason, for the error */
  protected abstract loseStream(stream: Stream, why: string): void;
  /** Closes the socket after all data was written. */
  protected abstract endSocket(): void;
  /** Called when the socket is closed and no stream is left. */
  protected abstract connectionClosed(): void;
  /** Called when the last open stream has ended. */
  protected abstract becameIdle(): void;

  /** Start of the incomplete header block in milliseconds since 1970; 0: no block is incomplete. */
  protected get blockSince(): number {
    return this.#frames.blockSince;
  }

  /** Start time of an incomplete frame, on the clock of `performance.now()`; 0: no frame is incomplete. */
  protected get frameSince(): number {
    return this.#reader.incompleteSince;
  }

  /** True when the client has sent the preface and its settings. */
  protected get hasBegun(): boolean {
    return this.#dispatcher.hasSettings;
  }

  /** True when new streams may be pushed. */
  protected get mayPush(): boolean {
    return !this.isLeaving && !this.#isDead && this.pushed.hasRoom;
  }

  /** Initial window of a new stream for sending, in bytes. */
  protected get initialWindowBytes(): number {
    return this.#scheduler.initialBytes;
  }

  /**
   * Asks the client to open no new streams. Streams that the client still opens are served until {@link leave} is
   * called, a round trip later at the earliest. Source: RFC 9113, section 6.8
   */
  protected announceLeave(): void {
    if (!this.isLeaving && !this.#isDead) {
      this.writer.frame(encodeGoAway(allStreams, errorCodes.noError));
    }
  }

  /**
   * Accepts no new streams, and closes after the last open stream. @returns false when the connection was already
   * closing
   */
  protected leave(): boolean {
    if (this.isLeaving || this.#isDead) {
      return false;
    }
    this.isLeaving = true;
    this.writer.frame(encodeGoAway(this.streams.lastId, errorCodes.noError));
    return true;
  }

  // Called by streams

  /**
   * Sends a header block. @param ownFields pseudo-header fields and other fields that are known to be valid; all
   * `fields` were checked
   */
  sendHeaders(streamId: number, ownFields: HeaderList, fields: HeaderList, endsStream: boolean): void {
    const encoder = this.#encoder;
    encoder.begin();
    for (let index = 0; index < ownFields.length; index += 2) {
      encoder.add(ownFields[index] as string, ownFields[index + 1] as string);
    }
    addFields(encoder, fields);
    this.writer.headers(streamId, endsStream, encoder.end());
  }

  /** Sends the fields that end a stream. */
  sendTrailers(streamId: number, trailers: HeaderList): void {
    this.sendHeaders(streamId, [], trailers, true);
  }

  /** Called when the stream's queue has data or an end to send. */
  queued(stream: Stream): void {
    this.#scheduler.add(stream);
  }

  /** Called when bytes of a body were consumed, so that the windows can be restored. */
  taken(stream: Stream, bytes: number): void {
    // After END_STREAM the client sends no more.
    this.#window.release(bytes, stream.requestEnded ? undefined : stream);
  }

  /** Called after each sent DATA frame. */
  dataSent(): void {
    this.#guard.dataSent();
  }

  breakOff(stream: Stream, errorCode: number): void {
    if (this.streams.remove(stream, "abandoned")) {
      this.writer.frame(encodeRstStream(stream.id, errorCode));
      this.loseStream(stream, "the stream was broken off");
      this.streamGone(stream.id);
    }
  }

  /** Called when request and response are complete. */
  finished(stream: Stream): void {
    if (this.streams.remove(stream, "closed")) {
      if (this.pushed.isPromised(stream.id)) {
        this.pushed.taken();
      } else {
        this.#guard.streamEnded();
      }
      stream.streamOver();
      this.streamGone(stream.id);
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
    if (this.#dispatcher.isInHeaders && this.#frames.blockSince === 0) {
      this.#frames.blockSince = Date.now();
    }
    this.readDone();
    if (this.writer.unsentBytes > maxUnreadBytes) {
      this.#socket.destroy();
    }
  }

  #turnEnded(): void {
    this.#scheduler.run();
    this.endWhenIdle();
  }

  // The end

  /** Ends the connection for a fault of the client. */
  #fail(errorCode: number, reason: string): void {
    const text = reason.slice(0, 200).replace(/[^ -~]/g, "?");
    this.writer.frame(encodeGoAway(this.streams.lastId, errorCode, text));
    this.#forget();
    this.writer.flush();
    this.endSocket();
  }

  #clientGone(): void {
    this.#forget();
    this.#socket.end(() => this.#socket.destroy());
  }

  /** Called when a stream has closed. */
  streamGone(streamId: number): void {
    if (this.pushed.isPromised(streamId)) {
      this.pushed.ended();
    }
    if (this.streams.size === 0) {
      this.becameIdle();
      this.endWhenIdle();
    }
  }

  /** Closes the connection when it accepts no new streams and no stream is open. */
  endWhenIdle(): void {
    if (this.isLeaving && !this.#isDead && this.streams.size === 0) {
      this.writer.flush();
      this.#die();
      this.endSocket();
    }
  }

  #die(): void {
    this.#isDead = true;
    this.#dispatcher.stop();
  }

  /** Tells all streams that no more data will arrive. */
  #forget(): void {
    if (this.#isDead && this.streams.size === 0) {
      return;
    }
    this.#die();
    for (const stream of this.streams.clear()) {
      this.loseStream(stream, "the client closed the connection");
    }
  }
}
