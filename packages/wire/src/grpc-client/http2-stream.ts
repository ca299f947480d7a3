import type { ReceiveWindow } from "../http2/receive-window.ts";

/** Header fields by lower-case name; of a name that comes several times, the last value. */
export type Headers = ReadonlyMap<string, string>;

/** What came back for a request, whole. */
export interface Http2Response {
  readonly headers: Headers;
  /** Empty when the headers were all. */
  readonly trailers: Headers | undefined;
  readonly body: Buffer;
}

/** Why nothing whole came back. */
export interface Http2Failure {
  /** True when the peer has not begun with the request: it may be sent elsewhere. */
  readonly isUntouched: boolean;
  /** An error code of HTTP/2, for streams that the peer reset. */
  readonly resetCode?: number;
  readonly message: string;
}

export type Http2Outcome = Http2Response | Http2Failure;

/** One request under way. */
export interface Http2Stream {
  /** 0 while it waits for its turn. */
  id: number;
  readonly body: Buffer;
  headers: Headers | undefined;
  readonly parts: Buffer[];
  receivedBytes: number;
  readonly received: ReceiveWindow;
  readonly done: (outcome: Http2Outcome) => void;
}
