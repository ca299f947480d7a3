import type { Socket } from "node:net";
import { errorCodes } from "http-protocols/http2";
import { type H2RequestHead, type HeaderList, writtenFields } from "http-protocols/http2-server";
import {
  type Http3RequestHandler,
  type Http3RequestStream,
  Http3ServerSession,
  http3Errors,
} from "http-protocols/http3";
import type { CloseReason, Connection, ConnectionEvents, PeerAddress, QuicStream } from "http-protocols/quic";
import { ServerError } from "server-core/errors";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { H2Carrier, H2Stream } from "../h2/h2-stream.ts";
import { latenessOf } from "../h2/lateness.ts";
import { getHeader } from "../header-list.ts";
import type { DetachedConnection, HttpStream } from "../http-stream.ts";
import { SendWatch } from "../send-watch.ts";
import { H3Request } from "./h3-request.ts";
import { H3Socket } from "./h3-socket.ts";

/** The part of the listener that a connection uses. */
export interface H3Owner {
  /** Time limits and sizes in force now; a reload may replace them while the connection lives. */
  readonly limits: ConnectionLimits;
  /** Takes a request whose head is complete. */
  take(stream: HttpStream): void;
  /** Logs an unexpected error in the work for a stream. The stream is already broken off. */
  fault(error: unknown): void;
  /** Called once, when the connection has closed. */
  h3Closed(connection: Connection): void;
  /** Called when a stream has left HTTP. */
  tunnelOpened(tunnel: DetachedConnection): void;
}

/** Error codes of HTTP/2 that streams use, and the corresponding codes of HTTP/3. */
const codes: ReadonlyMap<number, number> = new Map([
  [errorCodes.noError, http3Errors.noError],
  [errorCodes.cancel, http3Errors.requestCancelled],
]);

/**
 * One HTTP/3 connection of the web server. It hands requests to the listener, and ends requests of slow clients.
 *
 * Source: RFC 9114
 */
export class H3Connection implements H2Carrier, Omit<ConnectionEvents, "onWake"> {
  readonly version = "3.0";
  readonly takesPushes = false;
  readonly #owner: H3Owner;
  readonly #connection: Connection;
  readonly #session: Http3ServerSession;
  readonly #address: H3Socket;
  /** Requests that are not complete, by stream ID. */
  readonly #requests = new Map<number, H3Request>();
  /** Complete requests whose responses the client has not received in full, by stream ID. */
  readonly #leaving = new Map<number, H3Request>();
  /** Streams whose request head has not arrived: stream ID to the time of opening, in milliseconds since 1970. */
  readonly #headless = new Map<number, number>();
  /** Requests whose heads arrived in this turn of the event loop. Their handlers have not started. */
  #opened: H3Request[] = [];
  #idleSince = Date.now();
  readonly #sending = new SendWatch(Date.now());
  #isOver = false;
  /** True when the session's streams are open: early data came, or the handshake is done. */
  #isStarted = false;
  /** True when the handshake is done. */
  #isConnected = false;
  /** Early requests that run after the handshake: their methods are not safe, or the client's address may be forged. */
  #unsafe: H3Request[] = [];
  /** Server name of the TLS handshake; "" before it, or when the client sent none. */
  serverName = "";

  /** @param local address and port that the UDP socket is bound to */
  constructor(connection: Connection, owner: H3Owner, local: PeerAddress) {
    this.#owner = owner;
    this.#connection = connection;
    this.#address = new H3Socket(connection, local);
    this.#session = new Http3ServerSession(connection, {
      maxFieldSectionBytes: owner.limits.maxHeaderBytes,
      extendedConnect: true,
      onRequest: (request, head) => this.#onRequest(request, head),
      onClosed: (reason) => this.#onSessionClosed(reason),
    });
  }

  get socket(): Socket {
    return this.#address.asSocket;
  }

  get isEarly(): boolean {
    return !this.#isConnected;
  }

  /** Settings that the client remembers for its early data on the next connection. */
  get rememberedSettings(): string {
    return String(this.#session.maxFieldSectionBytes);
  }

  // Called by the owner

  /** Takes no new requests, ends tunnels that do not end by themselves, and closes when the last request is done. */
  closeWhenIdle(): void {
    this.#session.goAway();
    for (const { stream } of this.#requests.values()) {
      if (stream?.isTunnel === true && !stream.leavesByItself) {
        this.breakOff(stream, errorCodes.cancel);
      }
    }
  }

  /** Ends a connection that is idle or late, and requests that took too long. @param now in milliseconds since 1970 */
  checkTimeouts(now: number): void {
    const { idleTimeoutMs, readHeaderTimeoutMs } = this.#owner.limits;
    const [headlessSince] = this.#headless.values();
    if (readHeaderTimeoutMs > 0 && now - (headlessSince ?? now) >= readHeaderTimeoutMs) {
      this.cut();
      return;
    }
    const requests = [...this.#requests.values(), ...this.#leaving.values()];
    const waits = requests.some((each) => each.unsentBytes > 0 && each.stream?.isTunnel !== true);
    if (this.#sending.isTooSlow(now, this.#connection.sentStreamBytes, waits, this.#owner.limits)) {
      this.cut();
      return;
    }
    if (waits || this.#requests.size > 0) {
      this.#idleSince = now;
    } else if (idleTimeoutMs > 0 && now - Math.max(this.#idleSince, headlessSince ?? 0) >= idleTimeoutMs) {
      this.#leaveIdle();
      return;
    }
    for (const { stream } of this.#requests.values()) {
      if (stream !== undefined) {
        this.#checkStream(stream, now);
      }
    }
  }

  /** Milliseconds since the last request ended; 0 while a request is running. @param now in milliseconds since 1970 */
  idleFor(now: number): number {
    return this.#requests.size === 0 ? now - this.#idleSince : 0;
  }

  /** Closes the connection immediately, for instance because the client is too slow. */
  cut(): void {
    this.#connection.close(http3Errors.noError, "timeout", performance.now());
  }

  // Called by the QUIC connection

  onEarlyData(): void {
    this.#start();
  }

  onConnected(): void {
    this.#start();
    this.#isConnected = true;
    for (const request of this.#unsafe.splice(0)) {
      request.begin();
    }
  }

  #start(): void {
    if (!this.#isStarted) {
      this.#isStarted = true;
      this.#address.secured(this.serverName);
      this.#session.onConnected();
    }
  }

  onStream(stream: QuicStream): void {
    if ((stream.id & 2) === 0) {
      this.#headless.set(stream.id, Date.now());
    }
    this.#session.onStream(stream);
  }

  onStreamClosed(stream: QuicStream): void {
    this.#headless.delete(stream.id);
    this.#leaving.delete(stream.id);
    this.#session.onStreamClosed(stream);
  }

  onClosed(reason: CloseReason): void {
    this.#session.onClosed(reason);
  }

  // Called by streams

  sendHeaders(streamId: number, ownFields: HeaderList, fields: HeaderList, endsStream: boolean): void {
    this.#requests.get(streamId)?.sendHead(ownFields, writtenFields(fields), endsStream);
  }

  queued(stream: H2Stream): void {
    this.#requests.get(stream.id)?.send();
  }

  taken(stream: H2Stream, bytes: number): void {
    this.#requests.get(stream.id)?.consume(bytes);
  }

  tunnelOpened(tunnel: DetachedConnection): void {
    this.#owner.tunnelOpened(tunnel);
  }

  push(): boolean {
    return false;
  }

  broken(stream: H2Stream, error: unknown): void {
    this.breakOff(stream, errorCodes.internalError);
    this.#owner.fault(error);
  }

  breakOff(stream: H2Stream, errorCode: number): void {
    const request = this.#requests.get(stream.id);
    if (request !== undefined && stream.complete) {
      this.finished(stream); // the client gets what is on its way
    } else if (request !== undefined) {
      this.#forget(request);
      request.breakOff(codes.get(errorCode) ?? http3Errors.internalError);
      stream.streamLost("the stream was broken off");
    }
  }

  finished(stream: H2Stream): void {
    const request = this.#requests.get(stream.id);
    if (request !== undefined) {
      this.#forget(request);
      this.#leaving.set(request.id, request);
      stream.streamOver();
    }
  }

  // Called by requests

  /** Called when the client has reset the request or violated the protocol. */
  lost(request: H3Request): void {
    this.#forget(request);
    try {
      request.stream?.streamLost("the client gave the request up");
    } catch (error) {
      this.#owner.fault(error);
    }
  }

  take(request: H3Request): void {
    const { stream } = request;
    if (stream === undefined || stream.closed || !this.#requests.has(stream.id)) {
      return;
    }
    try {
      this.#owner.take(stream);
    } catch (error) {
      this.broken(stream, error);
    }
  }

  #onRequest(stream: Http3RequestStream, head: H2RequestHead): Http3RequestHandler {
    const request = new H3Request(stream, head, this);
    if (this.#runsEarly(request) && getHeader(head.headers, "early-data") === undefined) {
      // Handlers and upstreams may refuse such a request with status 425: RFC 8470, section 5.1.
      head.headers.push("early-data", "1");
    }
    this.#headless.delete(stream.id);
    this.#requests.set(stream.id, request);
    if (this.#opened.length === 0) {
      // Handlers run after the rest of the datagram is read: a body or the end may follow the head.
      queueMicrotask(() => this.#takeOpened());
    }
    this.#opened.push(request);
    return request;
  }

  #takeOpened(): void {
    for (const request of this.#opened.splice(0)) {
      if (this.isEarly && !this.#runsEarly(request)) {
        this.#unsafe.push(request);
      } else {
        request.begin();
      }
    }
  }

  /**
   * True when a request may run before the handshake is done. A token of an earlier connection must prove the client's
   * address: otherwise a client could forge an address that has more rights.
   */
  #runsEarly(request: H3Request): boolean {
    return this.isEarly && request.isSafe && this.#connection.isAddressProved;
  }

  #onSessionClosed({ fault }: CloseReason): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#address.destroyed = true;
      this.#headless.clear();
      this.#leaving.clear();
      this.#unsafe = [];
      if (fault !== undefined) {
        this.#owner.fault(fault);
      }
      this.#owner.h3Closed(this.#connection);
    }
  }

  /**
   * Closes an idle connection. Streams without a request head, and responses that the client has not acknowledged, do
   * not delay the close.
   */
  #leaveIdle(): void {
    if (this.#leaving.size + this.#headless.size > 0) {
      this.cut();
    } else {
      this.closeWhenIdle();
    }
  }

  #forget(request: H3Request): void {
    if (this.#requests.delete(request.id) && this.#requests.size === 0) {
      this.#idleSince = Date.now();
    }
  }

  #checkStream(stream: H2Stream, now: number): void {
    try {
      const lateness = latenessOf(stream, this.#owner.limits, now);
      if (lateness === "body" && !stream.complete) {
        stream.failBody(new ServerError("HTTP_TIMEOUT", "the client took too long to send the body"));
      } else if (lateness !== undefined) {
        this.breakOff(stream, stream.complete ? errorCodes.noError : errorCodes.cancel);
      }
    } catch (error) {
      this.broken(stream, error);
    }
  }
}
