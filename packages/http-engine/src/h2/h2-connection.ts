import type { Socket } from "node:net";
import { errorCodes, type HeaderField } from "http-protocols/http2";
import {
  type HeaderList,
  type OpeningFields,
  type PromisedRequest,
  readRequestFields,
  readTrailerFields,
  ServerConnection,
} from "http-protocols/http2-server";
import { ServerError } from "server-core/errors";
import { closeLingering } from "../close-lingering.ts";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { DetachedConnection, HttpStream } from "../http-stream.ts";
import { bytesTaken, SendWatch } from "../send-watch.ts";
import { type H2Carrier, H2Stream } from "./h2-stream.ts";
import { latenessOf } from "./lateness.ts";

/** The part of the listener that a connection uses. */
export interface H2Owner {
  /** Time limits and sizes in force now; a reload may replace them while the connection lives. */
  readonly limits: ConnectionLimits;
  /** Takes a request whose header block is complete. */
  take(stream: HttpStream): void;
  /** Called with an unexpected error in the work for a stream. The stream is already ended. */
  fault(error: unknown): void;
  /** Called when the socket is closed and no stream is left. */
  h2Closed(connection: H2Connection): void;
  /** Called when a stream has left HTTP. */
  tunnelOpened(tunnel: DetachedConnection): void;
}

/**
 * Maximum number of streams that one client connection may have open at once. A further stream is refused. Source: Go's
 * net/http
 */
const maxStreams = 250;
/** Time in milliseconds during which a client may still open streams after the GOAWAY: longer than a round trip. */
const noticeMs = 1_000;
const connectionWindowBytes = 4 * 1024 * 1024;
/** Size limit in bytes of a compressed header block. */
const maxHeaderBlockBytes = 256 * 1024;
/** SETTINGS_ENABLE_CONNECT_PROTOCOL. Source: RFC 8441, section 3 */
const enableConnectProtocol = 8;
const settings: ReadonlyMap<number, number> = new Map([[enableConnectProtocol, 1]]);

/**
 * One HTTP/2 connection of the web server: passes requests to the listener, and checks the time limits of clients.
 * Source: RFC 9113, RFC 8441
 */
export class H2Connection extends ServerConnection<H2Stream> implements H2Carrier {
  readonly version = "2.0";
  readonly socket: Socket;
  readonly #owner: H2Owner;
  /** Streams opened by the present read, whose requests were not delivered yet. */
  #opened: H2Stream[] = [];
  /** Time when the connection was opened or the last stream ended, in milliseconds since 1970. */
  #idleSince: number;
  readonly #sending: SendWatch;
  /**
   * Time in milliseconds since 1970 from which new streams are refused, after a GOAWAY; 0: the connection stays open.
   */
  #leavesAt = 0;

  /** @param socket may contain bytes that were read too early and pushed back into the socket */
  constructor(socket: Socket, owner: H2Owner, now: number) {
    const { maxHeaderBytes } = owner.limits;
    super(socket, {
      ...{ maxStreams, maxHeaderBytes, maxHeaderBlockBytes, settings },
      windowBytes: connectionWindowBytes,
    });
    this.socket = socket;
    this.#owner = owner;
    this.#idleSince = now;
    this.#sending = new SendWatch(now);
  }

  // Called by the owner

  /** Accepts no new streams, ends tunnels whose owner does not end them, and closes when the last stream is done. */
  closeWhenIdle(): void {
    if (!this.leave()) {
      return;
    }
    for (const stream of this.streams.all()) {
      if (stream.isTunnel && !stream.leavesByItself) {
        this.breakOff(stream, errorCodes.cancel);
      }
    }
    this.endWhenIdle();
  }

  /** Tells the client to reconnect, and closes after the last stream. Tunnels continue. */
  leaveAfterResponse(now: number): void {
    if (this.#leavesAt === 0) {
      this.#leavesAt = now + noticeMs;
      this.announceLeave();
    }
  }

  /** Ends an idle or late connection, and streams over their time limit. @param now in milliseconds since 1970 */
  checkTimeouts(now: number): void {
    if (this.#leavesAt > 0 && now >= this.#leavesAt && this.leave()) {
      this.endWhenIdle();
    }
    const { idleTimeoutMs, readHeaderTimeoutMs } = this.#owner.limits;
    const begunAt = this.hasBegun ? this.blockSince : this.#idleSince;
    if (begunAt > 0 && readHeaderTimeoutMs > 0 && now - begunAt >= readHeaderTimeoutMs) {
      this.socket.destroy();
      return;
    }
    if (this.streams.size === 0) {
      if (idleTimeoutMs > 0 && now - this.#idleSince >= idleTimeoutMs) {
        this.closeWhenIdle();
      }
      return;
    }
    const streams = this.streams.all();
    const hasMore =
      this.socket.writableLength > 0 || streams.some((each) => each.sending.bytes > 0 && !each.isTunnel);
    if (this.#sending.isTooSlow(now, bytesTaken(this.socket), hasMore, this.#owner.limits)) {
      this.socket.destroy();
      return;
    }
    for (const stream of streams) {
      try {
        this.#checkStream(stream, now);
      } catch (error) {
        this.broken(stream, error);
      }
    }
  }

  // Called by streams

  tunnelOpened(tunnel: DetachedConnection): void {
    this.#owner.tunnelOpened(tunnel);
  }

  get takesPushes(): boolean {
    return this.mayPush;
  }

  push(parent: H2Stream, request: PromisedRequest): boolean {
    if (!this.mayPush) {
      return false;
    }
    const streamId = this.pushed.promise(parent.id, request);
    const opening = { send: this.initialWindowBytes, receive: 0, endsStream: true };
    const stream = new H2Stream(this, streamId, request.head, opening);
    this.streams.add(stream);
    // The pushed request starts after the handler that pushes it has returned.
    process.nextTick(() => this.#take(stream));
    return true;
  }

  broken(stream: H2Stream, error: unknown): void {
    this.breakOff(stream, errorCodes.internalError);
    this.#owner.fault(error);
  }

  // Called by `ServerConnection`

  openStream(streamId: number, opening: OpeningFields): H2Stream | "malformed" | "answered" {
    const { fields, endsStream } = opening;
    if (fields === undefined) {
      this.sendHeaders(streamId, [":status", "431", "content-length", "0"], [], true);
      return "answered";
    }
    const head = readRequestFields(fields);
    if (typeof head === "string" || (endsStream && (head.contentLength ?? 0) > 0)) {
      return "malformed";
    }
    const stream = new H2Stream(this, streamId, head, opening);
    this.#opened.push(stream);
    return stream;
  }

  readTrailers(fields: readonly HeaderField[]): HeaderList | string {
    return readTrailerFields(fields);
  }

  /** Data that arrived with a request's head is stored before handlers run. */
  protected readDone(): void {
    if (this.#opened.length > 0) {
      const opened = this.#opened;
      this.#opened = [];
      for (const stream of opened) {
        this.#take(stream);
      }
    }
  }

  protected loseStream(stream: H2Stream, why: string): void {
    try {
      stream.streamLost(why);
    } catch (error) {
      this.#owner.fault(error);
    }
  }

  protected endSocket(): void {
    closeLingering(this.socket);
  }

  protected connectionClosed(): void {
    this.#owner.h2Closed(this);
  }

  protected becameIdle(): void {
    this.#idleSince = Date.now();
  }

  #take(stream: H2Stream): void {
    if (!stream.closed) {
      try {
        this.#owner.take(stream);
      } catch (error) {
        this.broken(stream, error);
      }
    }
  }

  #checkStream(stream: H2Stream, now: number): void {
    const lateness = latenessOf(stream, this.#owner.limits, now);
    if (lateness === "body" && !stream.complete) {
      stream.failBody(new ServerError("HTTP_TIMEOUT", "the client took too long to send the body"));
    } else if (lateness !== undefined) {
      this.breakOff(stream, stream.complete ? errorCodes.noError : errorCodes.cancel);
    }
  }
}
