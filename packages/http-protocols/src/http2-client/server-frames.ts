import { decodeHeaderBlock } from "../http2/decode-header-block.ts";
import type { FloodGuard } from "../http2/flood-guard.ts";
import type { FrameHandler } from "../http2/frame-dispatcher.ts";
import type { FrameWriter } from "../http2/frame-writer.ts";
import { encodePingAck, errorCodes, settingIds, settingsAck } from "../http2/frames.ts";
import type { HpackDecoder } from "../http2/hpack-decoder.ts";
import type { HpackEncoder } from "../http2/hpack-encoder.ts";
import { Http2Error } from "../http2/http2-error.ts";
import type { ReceiveWindow } from "../http2/receive-window.ts";
import type { SendScheduler } from "../http2/send-scheduler.ts";
import type { ClientStream } from "./client-stream.ts";
import { errorCodeText, StreamError } from "./stream-error.ts";

/** The part of the connection that frames use. */
export interface FrameOwner {
  /** ID of the last opened stream; 0: none was opened. */
  readonly lastStreamId: number;
  /** Ends a stream because of a server's fault. @param reason for people */
  faulted(stream: ClientStream, errorCode: number, reason: string): void;
  /** Called when a response is complete. */
  responseEnded(stream: ClientStream): void;
  /** Called when the server has reset a stream. */
  wasReset(stream: ClientStream, error: StreamError): void;
  /** Called for the server's SETTINGS. @param maxStreams limit of streams; undefined: not in the settings */
  settingsCame(maxStreams: number | undefined): void;
  /** Called for the server's GOAWAY. @param lastTaken streams above this ID were not processed */
  serverLeaves(lastTaken: number, errorCode: number): void;
}

interface ConnectionParts {
  /** Decodes header blocks. All streams share the decoder's table, so each block must be decoded. */
  readonly decoder: HpackDecoder;
  /** Size limit of a header block's fields, for the text of errors. */
  readonly maxHeaderBytes: number;
  /** Writes frames to the socket. */
  readonly writer: FrameWriter;
  /** Writes header blocks. */
  readonly encoder: HpackEncoder;
  /** Counts frames that cost the server less than this side. */
  readonly guard: FloodGuard;
  /** Open streams by ID. */
  readonly streams: ReadonlyMap<number, ClientStream>;
  /** Chooses the stream whose DATA is sent next. */
  readonly scheduler: SendScheduler;
  /** Window of the whole connection for received DATA. */
  readonly window: ReceiveWindow;
}

/**
 * Applies a server's frames to its connection. A violation on a stream ends the stream. Any other violation throws an
 * Http2Error, which ends the connection. Frames of ended streams are dropped, because the server may have sent them
 * before the end.
 */
export class ServerFrames implements FrameHandler {
  readonly #owner: FrameOwner;
  readonly #parts: ConnectionParts;

  constructor(owner: FrameOwner, parts: ConnectionParts) {
    this.#owner = owner;
    this.#parts = parts;
  }

  data(streamId: number, piece: Buffer, frameBytes: number, endsStream: boolean): void {
    const { window, guard } = this.#parts;
    const stream = this.#openStream(streamId, "DATA");
    window.take(frameBytes);
    // The connection's window is restored immediately, so that one slow reader does not stop other streams. Each stream's
    // window still limits the held data.
    window.release(frameBytes);
    if (piece.length === 0 && !endsStream) {
      guard.idleFrame();
    }
    if (stream === undefined) {
      return;
    }
    stream.receiveWindowBytes -= frameBytes;
    if (stream.receiveWindowBytes < 0) {
      this.#owner.faulted(
        stream,
        errorCodes.flowControlError,
        "the server sent DATA over the window of the stream",
      );
      return;
    }
    if (frameBytes > piece.length && !endsStream) {
      window.releaseStream(frameBytes - piece.length, stream);
    }
    let problem = stream.receive(piece);
    if (problem === "" && endsStream) {
      problem = stream.receiveEnd();
    }
    this.#after(stream, problem, endsStream);
  }

  headers(streamId: number, block: Buffer, endsStream: boolean): void {
    const { decoder, guard, maxHeaderBytes } = this.#parts;
    const stream = this.#openStream(streamId, "HEADERS");
    const fields = decodeHeaderBlock(decoder, block);
    if (stream === undefined) {
      return;
    }
    if (fields === undefined) {
      const reason = `the response head is larger than the limit of ${maxHeaderBytes} bytes`;
      this.#owner.faulted(stream, errorCodes.enhanceYourCalm, reason);
      return;
    }
    if (!endsStream) {
      guard.idleFrame(); // The end of each stream gives one such frame back, which pays for the final head.
    }
    this.#after(stream, stream.receiveHeaders(fields, endsStream), endsStream);
  }

  reset(streamId: number, resetCode: number): void {
    const stream = this.#openStream(streamId, "RST_STREAM");
    if (stream !== undefined) {
      const isUnseen = resetCode === errorCodes.refusedStream;
      const message = `the stream was reset with ${errorCodeText(resetCode)}`;
      this.#owner.wasReset(stream, new StreamError(message, { isUnseen, resetCode }));
    }
  }

  settings(settings: ReadonlyMap<number, number>): void {
    const { guard, writer, encoder, scheduler, streams } = this.#parts;
    guard.idleFrame();
    if ((settings.get(settingIds.enablePush) ?? 0) !== 0) {
      throw new Http2Error(errorCodes.protocolError, "SETTINGS_ENABLE_PUSH of a server");
    }
    writer.frame(settingsAck);
    const tableBytes = settings.get(settingIds.headerTableSize);
    if (tableBytes !== undefined) {
      encoder.setTableLimit(tableBytes);
    }
    const windowBytes = settings.get(settingIds.initialWindowSize);
    if (windowBytes !== undefined) {
      scheduler.setInitial(windowBytes, streams.values());
    }
    this.#owner.settingsCame(settings.get(settingIds.maxConcurrentStreams));
  }

  ping(payload: Buffer): void {
    const { guard, writer } = this.#parts;
    guard.idleFrame();
    writer.frame(encodePingAck(payload));
  }

  idleFrame(): void {
    this.#parts.guard.idleFrame();
  }

  goAway(lastTaken: number, errorCode: number): void {
    this.#owner.serverLeaves(lastTaken, errorCode);
  }

  windowUpdate(streamId: number, increment: number): void {
    const { guard, scheduler } = this.#parts;
    guard.windowUpdate();
    if (streamId === 0) {
      scheduler.grant(increment);
      return;
    }
    const stream = this.#openStream(streamId, "WINDOW_UPDATE");
    if (stream === undefined) {
      return;
    }
    if (increment === 0) {
      this.#owner.faulted(stream, errorCodes.protocolError, "the server sent WINDOW_UPDATE of 0");
    } else if (!scheduler.grantStream(stream, increment)) {
      this.#owner.faulted(stream, errorCodes.flowControlError, "the server sent a window over 2^31 - 1");
    }
  }

  streamError(streamId: number, errorCode: number): void {
    const stream = this.#parts.streams.get(streamId);
    if (stream !== undefined) {
      this.#owner.faulted(stream, errorCode, "the server sent a malformed PRIORITY frame");
    }
  }

  #after(stream: ClientStream, problem: string, endsStream: boolean): void {
    if (problem !== "") {
      this.#owner.faulted(stream, errorCodes.protocolError, `malformed response: ${problem}`);
    } else if (endsStream) {
      this.#owner.responseEnded(stream);
    }
  }

  /** @returns undefined for an ended stream. @throws Http2Error PROTOCOL_ERROR for a stream that was never opened */
  #openStream(streamId: number, what: string): ClientStream | undefined {
    if (streamId === 0 || streamId % 2 === 0 || streamId > this.#owner.lastStreamId) {
      throw new Http2Error(errorCodes.protocolError, `${what} on stream ${streamId}, which was never opened`);
    }
    return this.#parts.streams.get(streamId);
  }
}
