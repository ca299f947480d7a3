import type { HeaderList } from "../header-list.ts";
import { decodeHeaderBlock } from "../http2/decode-header-block.ts";
import type { FloodGuard } from "../http2/flood-guard.ts";
import type { FrameHandler } from "../http2/frame-dispatcher.ts";
import type { FrameWriter } from "../http2/frame-writer.ts";
import { encodePingAck, errorCodes, settingIds, settingsAck } from "../http2/frames.ts";
import type { HeaderField } from "../http2/header-field.ts";
import type { HpackDecoder } from "../http2/hpack-decoder.ts";
import type { HpackEncoder } from "../http2/hpack-encoder.ts";
import { Http2Error } from "../http2/http2-error.ts";
import { type ReceiveWindow, streamWindowBytes } from "../http2/receive-window.ts";
import type { SendScheduler } from "../http2/send-scheduler.ts";
import type { PushedStreams } from "./pushed-streams.ts";
import type { OpeningFields, ServerStream } from "./server-stream.ts";
import type { StreamTable } from "./stream-table.ts";

const maxHeaderFields = 1_000;

/** The part of the connection that frames use. */
export interface FrameOwner<Stream extends ServerStream> {
  /** True when no new streams are accepted. */
  isLeaving: boolean;
  /**
   * Called when the client opens a stream.
   * @returns the stream; "malformed" for fields that are not a request; "answered" when the response is already being
   * sent and the rest of the request is not needed
   */
  openStream(streamId: number, opening: OpeningFields): Stream | "malformed" | "answered";
  /** Checks fields that follow a body. @returns the fields, or a text with the fault */
  readTrailers(fields: readonly HeaderField[]): HeaderList | string;
  breakOff(stream: Stream, errorCode: number): void;
  /** Called when a stream has closed. */
  streamGone(streamId: number): void;
  /** Closes the connection when it accepts no new streams and no stream is open. */
  endWhenIdle(): void;
}

/** The parts of a connection, and its limits. */
interface ConnectionParts<Stream extends ServerStream> {
  /** Maximum number of streams that the client may have open at once. A further stream is refused. */
  readonly maxStreams: number;
  /**
   * Decodes header blocks. All streams share the decoder's table, so a block must be decoded even if its stream is
   * refused.
   */
  readonly decoder: HpackDecoder;
  /** Writes frames to the socket. */
  readonly writer: FrameWriter;
  /** Writes header blocks. */
  readonly encoder: HpackEncoder;
  /** Counts frames that cost the peer less than the server, and ends the connection above a limit. */
  readonly guard: FloodGuard;
  /** Open streams by ID. */
  readonly streams: StreamTable<Stream>;
  /** Chooses the stream whose DATA is sent next. */
  readonly scheduler: SendScheduler;
  /** Window of the whole connection for received DATA. */
  readonly window: ReceiveWindow;
  /** Streams that the server promised. */
  readonly pushed: PushedStreams;
}

/**
 * Applies a client's frames to its connection. A violation throws an Http2Error, which ends the connection,
 * or resets a stream.
 */
export class ClientFrames<Stream extends ServerStream> implements FrameHandler {
  readonly #owner: FrameOwner<Stream>;
  readonly #maxStreams: number;
  readonly #decoder: HpackDecoder;
  readonly #writer: FrameWriter;
  readonly #encoder: HpackEncoder;
  readonly #guard: FloodGuard;
  readonly #streams: StreamTable<Stream>;
  readonly #scheduler: SendScheduler;
  readonly #window: ReceiveWindow;
  readonly #pushed: PushedStreams;
  /** Start of the incomplete header block in milliseconds since 1970; 0: no block is incomplete. */
  blockSince = 0;

  constructor(owner: FrameOwner<Stream>, parts: ConnectionParts<Stream>) {
    this.#owner = owner;
    this.#maxStreams = parts.maxStreams;
    this.#decoder = parts.decoder;
    this.#writer = parts.writer;
    this.#encoder = parts.encoder;
    this.#guard = parts.guard;
    this.#streams = parts.streams;
    this.#scheduler = parts.scheduler;
    this.#window = parts.window;
    this.#pushed = parts.pushed;
  }

  data(streamId: number, piece: Buffer, frameBytes: number, endsStream: boolean): void {
    this.#streams.checkOpened(streamId, "DATA", this.#owner.isLeaving);
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
    this.#window.release(frameBytes - piece.length, stream);
    if (!stream.receive(piece)) {
      this.#window.release(piece.length);
      this.#fault(stream, errorCodes.protocolError);
    } else if (endsStream && !stream.receiveEnd([])) {
      this.#fault(stream, errorCodes.protocolError);
    }
  }

  headers(streamId: number, bytes: Buffer, endsStream: boolean): void {
    this.blockSince = 0;
    if (streamId % 2 === 0) {
      throw new Http2Error(errorCodes.protocolError, "HEADERS on a stream that no client opens");
    }
    const fields = decodeHeaderBlock(this.#decoder, bytes);
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) {
      this.#trailers(stream, endsStream, fields);
      return;
    }
    if (this.#streams.isNew(streamId) && !this.#owner.isLeaving) {
      this.#streams.opened(streamId);
      this.#open(streamId, endsStream, fields);
    }
  }

  /** Opens a stream. @param fields fields of the request; undefined when they exceed the size limit */
  #open(streamId: number, endsStream: boolean, fields: HeaderField[] | undefined): void {
    if (this.#streams.size - this.#pushed.size >= this.#maxStreams) {
      this.#guard.reset();
      this.#streams.refuse(streamId, errorCodes.refusedStream);
      return;
    }
    const stream = this.#owner.openStream(streamId, {
      fields: (fields?.length ?? 0) > maxHeaderFields ? undefined : fields,
      endsStream,
      send: this.#scheduler.initialBytes,
      receive: streamWindowBytes,
    });
    if (typeof stream !== "string") {
      this.#streams.add(stream);
      return;
    }
    this.#guard.reset();
    if (stream === "malformed") {
      this.#streams.refuse(streamId, errorCodes.protocolError);
    } else if (endsStream) {
      this.#streams.answered(streamId);
    } else {
      this.#streams.refuse(streamId, errorCodes.noError);
    }
  }

  #trailers(stream: Stream, endsStream: boolean, fields: HeaderField[] | undefined): void {
    if (stream.requestEnded) {
      this.#late(stream.id, stream);
      return;
    }
    const trailers = fields === undefined || !endsStream ? "malformed" : this.#owner.readTrailers(fields);
    if (typeof trailers === "string" || !stream.receiveEnd(trailers)) {
      this.#fault(stream, errorCodes.protocolError);
    }
  }

  /** Handles a frame for a stream whose request has ended. */
  #late(streamId: number, stream: Stream | undefined): void {
    if (stream !== undefined) {
      this.#fault(stream, errorCodes.streamClosed);
    } else {
      this.#streams.late(streamId);
    }
  }

  /** Ends a stream on which the client violated a rule. The flood guard counts the violation. */
  #fault(stream: Stream, errorCode: number): void {
    this.#guard.reset();
    this.#owner.breakOff(stream, errorCode);
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
      this.#streams.checkOpened(streamId, "RST_STREAM", this.#owner.isLeaving);
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined) {
      this.#guard.idleFrame();
      return;
    }
    this.#streams.remove(stream, "closed");
    stream.streamLost("the client closed the stream");
    this.#owner.streamGone(streamId);
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
    this.#owner.isLeaving = true;
    if (this.#pushed.size > 0) {
      this.#dropPushed(lastTaken);
    }
    this.#owner.endWhenIdle();
  }

  /** Drops pushed streams above the last ID in the client's GOAWAY, because the client ignores them. */
  #dropPushed(lastTaken: number): void {
    for (const stream of this.#streams.all()) {
      if (stream.id > lastTaken && this.#pushed.isPromised(stream.id)) {
        this.#owner.breakOff(stream, errorCodes.cancel);
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
      this.#streams.checkOpened(streamId, "WINDOW_UPDATE", this.#owner.isLeaving);
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
}
