import type { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import type { FieldsCache } from "http-protocols/http1/fields-cache";
import type { ErrorOwner } from "server-core/threads/error-owner";
import type { HeaderList } from "./header-list.ts";

/** A connection that left HTTP, with the bytes that followed the request. */
export interface DetachedConnection {
  /** The raw connection after the change of protocol. */
  readonly socket: Duplex & { readonly bytesWritten: number };
  /** Bytes that the client sent after its request, already read from the socket. */
  readonly head: Buffer;
  /**
   * Set by the new owner of the connection: ends the connection in the protocol's own way when the server must stop.
   * Absent: the connection is cut.
   */
  leave?: (() => Promise<void>) | undefined;
}

/** Receives the end of a stream, and unexpected errors of the work on its bytes. */
export interface StreamListener extends ErrorOwner {
  /** Called when the client has disconnected, or everything is sent. It is called once. */
  streamClosed(): void;
  /**
   * True when the response is sent without further help, so that a client which only ended its own side still gets it.
   */
  readonly answersAlone?: boolean;
}

/** One request and its response, for any protocol. Handlers use the `Exchange`, which is based on it. */
export interface HttpStream {
  /** `1.0`, `1.1`, `2.0` or `3.0`. */
  readonly version: string;
  /** Method as sent; GET for a `CONNECT` that requests a protocol (RFC 8441). */
  readonly method: string;
  /** The request target as sent. */
  readonly target: string;
  /** Value of the only `Host` field, or of `:authority` in HTTP/2 and HTTP/3; "" when there is none. */
  readonly authority: string;
  /** Fields as sent. Never changed in place. */
  readonly headers: HeaderList;
  /**
   * Cache that requests with exactly the same {@link headers} on the connection share; absent when nothing is cached.
   */
  readonly fieldsCache?: FieldsCache;
  /** The connection, which several streams may share. */
  readonly socket: Socket;
  /**
   * True while the handshake is not done: somebody else may have recorded and repeated the request. Absent: never.
   */
  readonly isEarly?: boolean;
  /** True when the client sends a body that is not empty. */
  readonly hasBody: boolean;
  /** Declared length of the body in bytes; undefined when none is declared or the body is chunked. */
  readonly bodyLength: number | undefined;
  /**
   * The body, created on first access. The stream is destroyed when the client disconnects before the end of the body.
   */
  readonly body: Readable;
  /** True when bytes of the body were read, so that the body cannot be sent a second time. */
  readonly bodyTouched: boolean;
  /** Number of bytes of the body that handlers have read. */
  readonly bodyBytesRead: number;
  /** The whole body, if it came with the head and {@link body} was not read; otherwise undefined. */
  readonly wholeBody: Buffer | undefined;
  /** Fields that followed the body; empty until the body has ended. */
  readonly requestTrailers: HeaderList;
  /** The protocol of an `Upgrade` that may be accepted; "" for an ordinary request. */
  readonly upgradeProtocol: string;
  /** True when the head of a final response was sent. */
  readonly headSent: boolean;
  /** True when the whole response was passed to the system. */
  readonly complete: boolean;
  /** True when nothing can be sent any more: the client has disconnected, or the response has ended. */
  readonly closed: boolean;

  /** Its `streamClosed` is called once, when the response is complete, or the client disconnects earlier. */
  listener: StreamListener | undefined;

  /** Sends a whole response in one step. @throws ServerError HTTP_RESPONSE */
  respond(status: number, headers: HeaderList, body: Uint8Array | string): void;
  /**
   * @param goodFrom index from which on `headers` came from an HTTP/1 connection and need no check (default: none)
   * @throws ServerError HTTP_RESPONSE when status or headers are not valid in a response; then nothing is sent
   */
  writeHead(status: number, headers: HeaderList, goodFrom?: number): void;
  /** @returns false when the client is slow: continue after {@link onceDrain} */
  write(chunk: Uint8Array | string): boolean;
  /** Ends the body. @param chunk the last bytes, sent together with the end */
  end(chunk?: Uint8Array | string): void;
  /** Sends everything written so far, including the head, without waiting for more. */
  flush(): void;
  /** Fields after the body, if the protocol and the client allow them. */
  addTrailers(trailers: HeaderList): void;
  /** Calls back when everything written has left the buffers. */
  onceDrain(callback: () => void): void;
  /** The connection closes after this response. */
  closeAfterwards(): void;
  /** Answers the upgrade with 101 and leaves HTTP. @throws ServerError HTTP_RESPONSE */
  switchProtocols(headers: HeaderList): DetachedConnection;
  /** Sends an interim response, 100 to 199. */
  writeInterim(status: number, headers: HeaderList): void;
  /** True when other streams may be pushed for this request now; absent: pushing is never possible. */
  readonly takesPushes?: boolean;
  /**
   * Pushes the response to a request that the client has not made; routes run for it as for a request of the client.
   * @param target path and query
   * @returns false when the client accepts no pushes now, or when the request cannot be promised
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
