import type { HeaderList } from "../header-list.ts";
import type { HeaderField } from "../http2/header-field.ts";
import type { ReceivingStream } from "../http2/receive-window.ts";
import type { SendingStream } from "../http2/send-scheduler.ts";

/** One request and its response, as the connection sees them. */
export interface ServerStream extends SendingStream, ReceivingStream {
  /** True when the client has sent the whole request. */
  readonly requestEnded: boolean;
  /**
   * Takes bytes of the body. @param piece valid only during the call. @returns false when the body exceeds its
   * declared length
   */
  receive(piece: Buffer): boolean;
  /** Takes the end of the request. @returns false when the body is shorter than its declared length */
  receiveEnd(trailers: HeaderList): boolean;
  /**
   * Called when the stream has ended early. @param why reason as text: reset, connection lost, or cancelled by this
   * side
   */
  streamLost(why: string): void;
  /** Called when request and response are complete. */
  streamOver(): void;
}

/** Initial windows of a new stream in both directions. */
export interface StreamWindows {
  /** Initial window in bytes for sending. The client sets this window with SETTINGS_INITIAL_WINDOW_SIZE. */
  readonly send: number;
  /** Initial window in bytes for receiving, set by this side. */
  readonly receive: number;
}

/** The facts about a new stream. */
export interface StreamOpening extends StreamWindows {
  /** True when no body follows. */
  readonly endsStream: boolean;
}

/** The facts about a new stream, with its fields. */
export interface OpeningFields extends StreamOpening {
  /** Fields of the request; undefined when they exceed the size limit. */
  readonly fields: readonly HeaderField[] | undefined;
}
