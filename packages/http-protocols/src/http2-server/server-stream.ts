import type { HeaderList } from "../header-list.ts";
import type { HeaderField } from "../http2/header-field.ts";
import type { ReceivingStream } from "../http2/receive-window.ts";
import type { SendingStream } from "../http2/send-scheduler.ts";

/** One request and its response, in the connection's view. */
export interface ServerStream extends SendingStream, ReceivingStream {
  /** True when the client has sent everything. */
  readonly requestEnded: boolean;
  /**
   * Bytes of the body arrived. @param piece valid during the call only. @returns false when the body exceeds its
   * declared length
   */
  receive(piece: Buffer): boolean;
  /** The client has sent all. @returns false when the body is shorter than its declared length */
  receiveEnd(trailers: HeaderList): boolean;
  /** The stream has ended early. @param why the client reset it or disconnected, or this side cancelled it */
  streamLost(why: string): void;
  /** Request and response are through. */
  streamOver(): void;
}

/** Bytes that each side of a new stream may send at first. */
export interface StreamWindows {
  /** Initial window in bytes, from the client: its SETTINGS_INITIAL_WINDOW_SIZE. */
  readonly send: number;
  /** Initial window in bytes, from this side. */
  readonly receive: number;
}

/** The facts about a new stream. */
export interface StreamOpening extends StreamWindows {
  /** True when no body follows. */
  readonly endsStream: boolean;
}

/** A stream's opening with its fields. */
export interface OpeningFields extends StreamOpening {
  /** Undefined when there are too many fields or they are too long. */
  readonly fields: readonly HeaderField[] | undefined;
}
