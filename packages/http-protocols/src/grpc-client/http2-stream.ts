import type { ReceiveWindow } from "./receive-window.ts";

/** Header fields by lower-case name. If a name is repeated, the last value is kept. */
export type Headers = ReadonlyMap<string, string>;

/** A complete response. */
export interface Http2Response {
  /** Fields of the head. A response without messages contains its gRPC status here. */
  readonly headers: Headers;
  /** Trailers; undefined when the response ends with its head. */
  readonly trailers: Headers | undefined;
  /** The whole body, without padding of frames. */
  readonly body: Buffer;
}

/** The reason why there is no complete response. */
export interface Http2Failure {
  /** True when the peer has not begun to process the request, so that it may be sent to another server. */
  readonly isUntouched: boolean;
  /** HTTP/2 error code, for streams that the peer reset. */
  readonly resetCode?: number;
  /** Reason, for the log and for the details of the gRPC status. */
  readonly message: string;
}

export type Http2Outcome = Http2Response | Http2Failure;

/** A running request. */
export interface Http2Stream {
  /** Stream ID; 0 while the request waits for the peer's limit of streams. */
  id: number;
  /** Body of the request. */
  readonly body: Buffer;
  /** Fields of the answer; undefined until the first block is complete. */
  headers: Headers | undefined;
  /** The received part of the response's body, with room for more. */
  response: Buffer;
  /** Number of bytes at the start of `response` that have arrived. */
  receivedBytes: number;
  /** Window of this stream: a peer that sends more bytes than it grants is cut off. */
  readonly received: ReceiveWindow;
  /** Called once with the outcome of the request. */
  readonly done: (outcome: Http2Outcome) => void;
}
