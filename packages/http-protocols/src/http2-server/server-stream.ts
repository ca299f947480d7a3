import type { HeaderList } from "../header-list.ts";
import type { HeaderField } from "../http2/header-field.ts";
import type { ReceivingStream } from "../http2/receive-window.ts";
import type { SendingStream } from "../http2/send-scheduler.ts";

/** One request and its response, as the connection knows them. */
export interface ServerStream extends SendingStream, ReceivingStream {
  /** Whether the client has sent all. */
  readonly requestEnded: boolean;
  /** Bytes of the body came. @param piece valid during the call only. @returns false when the body exceeds its declared length */
  receive(piece: Buffer): boolean;
  /** The client has sent all. @returns false when the body is shorter than its declared length */
  receiveEnd(trailers: HeaderList): boolean;
  /** The stream is gone before its end. @param why the client reset it or disconnected, or this side broke it off */
  streamLost(why: string): void;
  /** Request and response are through. */
  streamOver(): void;
}

/** Bytes that each side of a new stream may send at first. */
export interface StreamWindows {
  /** Bytes that the client takes at first: its SETTINGS_INITIAL_WINDOW_SIZE. */
  readonly send: number;
  /** Bytes that this end takes at first. */
  readonly receive: number;
}

/** How a stream begins. */
export interface StreamOpening extends StreamWindows {
  /** Whether no body follows. */
  readonly endsStream: boolean;
}

/** A stream's opening with its fields. */
export interface OpeningFields extends StreamOpening {
  /** Undefined when there are too many of them, or they are too long. */
  readonly fields: readonly HeaderField[] | undefined;
}
