import type { FrameSink } from "./frame-reader.ts";
import { errorCodes, frameFlags, frameTypes } from "./frames.ts";
import { HeaderFragments } from "./header-fragments.ts";
import { Http2Error } from "./http2-error.ts";
import { dataOf, headerBlockOf, settingsOf } from "./read-payload.ts";

/**
 * Receives the frames of a peer. Buffers are views that are valid only during the call, unless the reader keeps
 * payloads. An `Http2Error` from a method ends the connection.
 */
export interface FrameHandler {
  /** A DATA frame. @param frameBytes length with padding; flow control counts this length */
  data(streamId: number, data: Buffer, frameBytes: number, endsStream: boolean): void;
  /** A complete header block: of a request, a response or trailers. */
  headers(streamId: number, block: Buffer, endsStream: boolean): void;
  /** RST_STREAM. @param errorCode see RFC 9113, section 7 */
  reset(streamId: number, errorCode: number): void;
  /** SETTINGS; must be acknowledged with `settingsAck`. @param settings values by `settingIds` */
  settings(settings: ReadonlyMap<number, number>): void;
  /** A PING frame, which must be answered with the same bytes. */
  ping(payload: Buffer): void;
  /**
   * A GOAWAY frame.
   * @param lastStreamId streams above this ID were not processed, and may be sent again
   * @param errorCode see RFC 9113, section 7; 0: the peer closes without an error
   */
  goAway(lastStreamId: number, errorCode: number): void;
  /** A WINDOW_UPDATE frame. @param increment may be 0 for a stream other than 0, which is an error of that stream */
  windowUpdate(streamId: number, increment: number): void;
  /** Called for a malformed frame that is an error of its stream only. */
  streamError?(streamId: number, errorCode: number): void;
  /** A frame without effect: a priority, an acknowledgement, or an unknown type. */
  idleFrame?(): void;
}

export interface FrameDispatcherSettings {
  /** Size limit of a header block, over all its frames. */
  readonly maxHeaderBlockBytes: number;
  /** For clients: true when a server may send GOAWAY before its settings. False by default. */
  readonly mayBeginWithGoAway?: boolean;
}

const highestStreamId = 0x7fff_ffff;
const priorityBytes = 5;
const pingBytes = 8;
const goAwayBytes = 8;

/**
 * Parses the frames of one side of a connection and passes them to a handler. It joins header blocks, and makes all
 * checks that need no knowledge of streams. Source: RFC 9113, sections 3.4 and 6
 */
export class FrameDispatcher implements FrameSink {
  readonly #handler: FrameHandler;
  readonly #maxHeaderBlockBytes: number;
  readonly #mayBeginWithGoAway: boolean;
  /** A header block that continues in CONTINUATION frames. */
  #block: HeaderFragments | undefined;
  #hasSettings = false;
  #isStopped = false;

  constructor(handler: FrameHandler, settings: FrameDispatcherSettings) {
    this.#handler = handler;
    this.#maxHeaderBlockBytes = settings.maxHeaderBlockBytes;
    this.#mayBeginWithGoAway = settings.mayBeginWithGoAway ?? false;
  }

  /** True when the peer has sent its settings. */
  get hasSettings(): boolean {
    return this.#hasSettings;
  }

  /** True while a header block is incomplete. */
  get isInHeaders(): boolean {
    return this.#block !== undefined;
  }

  /** Passes no further frames to the handler. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Parses a frame and passes it on. @throws Http2Error; any error of the handler */
  frame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (this.#isStopped) {
      return;
    }
    if (!this.#hasSettings) {
      this.#checkFirst(type);
    }
    if (this.#block !== undefined) {
      this.#checkContinues(this.#block, type, streamId);
    }
    const endsStream = (flags & frameFlags.endStream) !== 0;
    switch (type) {
      case frameTypes.data:
        this.#handler.data(streamId, dataOf(flags, payload), payload.length, endsStream);
        break;
      case frameTypes.headers:
        this.#headers(flags, streamId, payload);
        break;
      case frameTypes.priority:
        this.#priority(streamId, payload);
        break;
      case frameTypes.rstStream:
        this.#handler.reset(streamId, numberOf(payload, "RST_STREAM"));
        break;
      case frameTypes.settings:
        this.#settings(flags, streamId, payload);
        break;
      case frameTypes.pushPromise:
        throw protocolError("PUSH_PROMISE, which nobody may send us");
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
        break;
      default:
        // A receiver must ignore unknown types: RFC 9113, section 4.1.
        this.#handler.idleFrame?.();
    }
  }

  #checkFirst(type: number): void {
    if (type === frameTypes.settings || (type === frameTypes.goAway && this.#mayBeginWithGoAway)) {
      return;
    }
    throw protocolError("the first frame is not SETTINGS");
  }

  #checkContinues(block: HeaderFragments, type: number, streamId: number): void {
    if (type === frameTypes.continuation && streamId === block.streamId) {
      return;
    }
    throw protocolError("a frame in the middle of a header block");
  }

  #headers(flags: number, streamId: number, payload: Buffer): void {
    if (streamId === 0) {
      throw protocolError("HEADERS on stream 0");
    }
    const piece = headerBlockOf(flags, streamId, payload);
    if ((flags & frameFlags.endHeaders) !== 0) {
      this.#handler.headers(streamId, piece, (flags & frameFlags.endStream) !== 0);
    } else {
      this.#block = new HeaderFragments(streamId, flags, piece, this.#maxHeaderBlockBytes);
    }
  }

  #continuation(flags: number, payload: Buffer): void {
    const block = this.#block;
    if (block === undefined) {
      throw protocolError("CONTINUATION without HEADERS");
    }
    block.add(payload);
    if ((flags & frameFlags.endHeaders) === 0) {
      return;
    }
    this.#block = undefined;
    this.#handler.headers(block.streamId, block.join(), (block.flags & frameFlags.endStream) !== 0);
  }

  /** Priorities are ignored, but a malformed priority is reported as an error. */
  #priority(streamId: number, payload: Buffer): void {
    if (streamId === 0) {
      throw protocolError("PRIORITY on stream 0");
    }
    this.#handler.idleFrame?.();
    if (payload.length !== priorityBytes) {
      this.#handler.streamError?.(streamId, errorCodes.frameSizeError);
    } else if ((payload.readUInt32BE(0) & highestStreamId) === streamId) {
      this.#handler.streamError?.(streamId, errorCodes.protocolError);
    }
  }

  #settings(flags: number, streamId: number, payload: Buffer): void {
    if (streamId !== 0) {
      throw protocolError("SETTINGS on a stream");
    }
    if ((flags & frameFlags.ack) === 0) {
      this.#hasSettings = true;
      this.#handler.settings(settingsOf(payload));
    } else if (payload.length > 0) {
      throw frameSizeError("an acknowledgement of SETTINGS is not empty");
    } else {
      this.#handler.idleFrame?.();
    }
  }

  #ping(flags: number, streamId: number, payload: Buffer): void {
    if (streamId !== 0) {
      throw protocolError("PING on a stream");
    }
    if (payload.length !== pingBytes) {
      throw frameSizeError(`PING of ${payload.length} bytes`);
    }
    if ((flags & frameFlags.ack) === 0) {
      this.#handler.ping(payload);
    } else {
      this.#handler.idleFrame?.();
    }
  }

  #goAway(streamId: number, payload: Buffer): void {
    if (streamId !== 0) {
      throw protocolError("GOAWAY on a stream");
    }
    if (payload.length < goAwayBytes) {
      throw frameSizeError(`GOAWAY of ${payload.length} bytes`);
    }
    this.#handler.goAway(payload.readUInt32BE(0) & highestStreamId, payload.readUInt32BE(4));
  }

  #windowUpdate(streamId: number, payload: Buffer): void {
    const increment = numberOf(payload, "WINDOW_UPDATE") & highestStreamId;
    if (streamId === 0 && increment === 0) {
      throw protocolError("WINDOW_UPDATE of 0");
    }
    this.#handler.windowUpdate(streamId, increment);
  }
}

function numberOf(payload: Buffer, what: string): number {
  if (payload.length !== 4) {
    throw frameSizeError(`${what} of ${payload.length} bytes`);
  }
  return payload.readUInt32BE(0);
}

function protocolError(what: string): Http2Error {
  return new Http2Error(errorCodes.protocolError, what);
}

function frameSizeError(what: string): Http2Error {
  return new Http2Error(errorCodes.frameSizeError, what);
}
