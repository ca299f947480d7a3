import type { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import type { FieldMemo } from "http-protocols/http1/field-memo";
import type { ErrorOwner } from "server-core/threads/error-owner";
import type { HeaderList } from "./header-list.ts";

/** A connection that left HTTP, with the bytes that came after the request. */
export interface DetachedConnection {
  /** The raw connection, behind the switch of protocols. */
  readonly socket: Duplex & { readonly bytesWritten: number };
  /** Bytes that the client sent behind its request, already read from the socket. */
  readonly head: Buffer;
  /**
   * Set by the taker of the connection: ends the connection in its own way when the server must stop. Absent:
   * it is cut then.
   */
  leave?: (() => Promise<void>) | undefined;
}

/** Receives the end of a stream, and owns the work on its bytes. */
export interface StreamListener extends ErrorOwner {
  /** The client is gone, or everything is sent. Called once. */
  streamClosed(): void;
  /**
   * True when the answer is sent without further help, so that a client which only ended its side gets it.
   */
  readonly answersAlone?: boolean;
}

/**
 * One request and the way of its response, for any protocol. Handlers use the `Exchange`, which is built on
 * it.
 */
export interface HttpStream {
  /** `1.0`, `1.1`, `2.0`. */
  readonly version: string;
  /** Method as sent; GET for a `CONNECT` that asks for a protocol (RFC 8441). */
  readonly method: string;
  /** The request target as sent. */
  readonly target: string;
  /** The one `Host` field, or `:authority` of HTTP/2; "" when there is none. */
  readonly authority: string;
  /** Fields as sent. Never changed in place. */
  readonly headers: HeaderList;
  /** Shared by requests of the connection that have the very same {@link headers}; absent where none is kept. */
  readonly fieldMemo?: FieldMemo;
  /** The connection, which several streams may share. */
  readonly socket: Socket;
  /** Whether the client sends a body, of any length but zero. */
  readonly hasBody: boolean;
  /** Its declared length; undefined when there is none or it is chunked. */
  readonly bodyLength: number | undefined;
  /** The body; made when asked for the first time. It is destroyed when the client goes away before its end. */
  readonly body: Readable;
  /** Whether bytes of the body were taken out, so that it cannot be sent a second time. */
  readonly bodyTouched: boolean;
  /** Bytes of the body that handlers were given. */
  readonly bodyBytesRead: number;
  /** The whole body, when it came with the head and {@link body} was not read; undefined otherwise. */
  readonly wholeBody: Buffer | undefined;
  /** Fields that came after the body; none until the body has ended. */
  readonly requestTrailers: HeaderList;
  /** The protocol of an `Upgrade` that may be taken; "" for an ordinary request. */
  readonly upgradeProtocol: string;
  /** Whether the head of a final response is on its way. */
  readonly headSent: boolean;
  /** Whether the whole response was handed to the system. */
  readonly complete: boolean;
  /** True when nothing can be sent any more: the client has disconnected, or the response has ended. */
  readonly closed: boolean;

  /** Called once, when the response is complete, or the client disconnects earlier. */
  listener: StreamListener | undefined;

  /** Sends a whole response at once. @throws ServerError HTTP_RESPONSE */
  respond(status: number, headers: HeaderList, body: Uint8Array | string): void;
  /**
   * @param goodFrom index from which on `headers` were read off a connection of HTTP/1 and need no check (none)
   * @throws ServerError HTTP_RESPONSE when status or headers cannot stand in a response; nothing is sent then
   */
  writeHead(status: number, headers: HeaderList, goodFrom?: number): void;
  /** @returns false when the client is slow: go on after {@link onceDrain} */
  write(chunk: Uint8Array | string): boolean;
  /** Ends the body. @param chunk the last bytes, sent together with the end */
  end(chunk?: Uint8Array | string): void;
  /** Sends what was written so far, the head too, without waiting for more. */
  flush(): void;
  /** Fields after the body, where the protocol and the client allow them. */
  addTrailers(trailers: HeaderList): void;
  /** Calls back once what was written has left the buffers. */
  onceDrain(callback: () => void): void;
  /** The response is the last of its connection. */
  closeAfterwards(): void;
  /** Answers the upgrade with 101 and leaves HTTP. @throws ServerError HTTP_RESPONSE */
  switchProtocols(headers: HeaderList): DetachedConnection;
  /** Sends an interim response, 100 to 199. */
  writeInterim(status: number, headers: HeaderList): void;
  /** Whether other streams may be pushed beside this one now; absent: never. */
  readonly takesPushes?: boolean;
  /**
   * Pushes the response to a request that the client has not made; routes run for it as for the client's own.
   * @param target path and query
   * @returns false when the client takes no pushes now, or the request cannot be promised
   */
  push?(method: string, target: string, headers: HeaderList): boolean;
  /** Cuts the stream: the client sees that the response is not whole. */
  destroy(): void;
  /**
   * Sends the head that waits, then cuts the stream as {@link destroy} does: the client sees an incomplete
   * response.
   */
  cut(): void;
}
