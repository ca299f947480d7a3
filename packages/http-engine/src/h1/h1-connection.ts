import type { Socket } from "node:net";
import { HeadScanner } from "http-protocols/http1/head-scanner";
import { readDirectly } from "http-protocols/http1/read-directly";
import type { RequestHead } from "http-protocols/http1/request-head";
import { ServerError } from "server-core/errors";
import { runFor } from "server-core/threads/error-owner";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { DetachedConnection } from "../http-stream.ts";
import { ConnectionClock } from "./connection-clock.ts";
import { DrainWaiters } from "./drain-waiters.ts";
import { endConnection, writeRefusal } from "./end-connection.ts";
import { type H1Carrier, H1Stream } from "./h1-stream.ts";
import { type BodyFeeder, RequestBody } from "./request-body.ts";
import { serverErrorOf } from "./server-error-of.ts";

/**
 * Maximum number of bytes that are kept for a handler that does not read the body yet, or for the next request in a
 * pipeline. Above this limit, the connection stops reading its socket.
 */
const maxHeldBytes = 64 * 1024;

const empty = Buffer.alloc(0);

/**
 * State of the connection: the use of the next bytes.
 *
 * | State | Meaning | End of the state |
 * |---|---|---|
 * | `head` | the next bytes are a head | the head is complete; the time limit |
 * | `waiting` | a request is running, and its body is not read | the handler reads the body; the response ends |
 * | `body` | bytes are passed to the handler, or dropped after the response | the body is whole, broken or late; its buffer is full |
 * | `closing` | nothing more is read; the socket closes soon | the socket closes |
 * | `gone` | the socket is closed, or a tunnel owns it | none |
 */
type State = "head" | "body" | "waiting" | "closing" | "gone";

/** The part of the listener that its connections use. */
export interface ConnectionOwner {
  /** Time limits and sizes in force now; a reload may replace them while the connection lives. */
  readonly limits: ConnectionLimits;
  /** False while the server is stopping: responses then contain `Connection: close`. */
  readonly accepting: boolean;
  /** Takes a request whose head is complete. */
  take(stream: H1Stream): void;
  /**
   * Called when the connection starts with the HTTP/2 preface. @returns true when the owner now serves the connection
   */
  takeHttp2?(socket: Socket, bytes: Buffer): boolean;
  /** Called with an unexpected error in the work for a connection. The connection is cut. */
  fault(error: unknown): void;
  /** Called when the socket is closed. The owner forgets the connection. */
  closed(connection: H1Connection): void;
  /** Called when the connection became a tunnel, which outlives the HTTP connection. */
  detached(connection: H1Connection, tunnel: DetachedConnection): void;
}

/** One HTTP/1 connection: it receives requests one after the other, and sends responses in the same order. */
export class H1Connection implements H1Carrier, BodyFeeder {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  #state: State = "head";
  /** Received bytes that are not used yet. */
  #rest: Buffer = empty;
  /** The running request; undefined between two requests. */
  #stream: H1Stream | undefined;
  /** The body of the running request; undefined for a request without a body. */
  #body: RequestBody | undefined;
  readonly #heads = new HeadScanner();
  /** True when the client waits for `100 Continue` before it sends the body. */
  #expectsContinue = false;
  /** True when the response to the running request is written. */
  #responseDone = true;
  /** False: the connection closes after the running request. */
  #reusable = true;
  /** True when the next response contains `Connection: close`. */
  #leaves = false;
  /** True while the socket is not read, because too many bytes wait already. */
  #paused = false;
  /** True during `#parse`. A handler may end the response during the parse, which must not start a second parse. */
  #parsing = false;
  /** True when the client ended its side; the client may still read a response. */
  #halfClosed = false;
  readonly #drains: DrainWaiters;
  readonly #clock: ConnectionClock;
  readonly #endDirectReading: () => void;

  constructor(socket: Socket, owner: ConnectionOwner, now: number) {
    this.socket = socket;
    this.#owner = owner;
    this.#clock = new ConnectionClock(socket, owner, now);
    socket.on("data", this.#onData);
    this.#endDirectReading = readDirectly(socket, this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
    this.#drains = new DrainWaiters(socket, (error) => this.#broken(error));
  }

  get accepting(): boolean {
    return !this.#leaves && this.#owner.accepting;
  }

  /** True when no request is running. */
  get idle(): boolean {
    return this.#stream === undefined;
  }

  // Called by the stream

  bodyOf(stream: H1Stream): RequestBody | undefined {
    if (this.#stream !== stream) {
      return undefined;
    }
    this.#body ??= new RequestBody(this, 0);
    return this.#body;
  }

  onceDrain(callback: () => void): void {
    this.#drains.once(callback);
  }

  /** Called when the response is written. The next request starts after the end of the body. */
  responseEnded(reusable: boolean): void {
    this.#reusable &&= reusable;
    this.#responseDone = true;
    this.#requestEnded();
  }

  /**
   * Gives the socket to a tunnel, with the bytes that followed the request. From now on, this class ignores the socket.
   */
  detach(): DetachedConnection {
    const { socket } = this;
    this.#state = "gone";
    socket.pause();
    socket.off("data", this.#onData);
    this.#endDirectReading();
    socket.off("end", this.#onEnd);
    this.#drains.stop();
    socket.off("error", this.#onError);
    socket.on("error", () => socket.destroy());
    const head = this.#rest;
    this.#rest = empty;
    this.#heads.rest();
    const tunnel: DetachedConnection = { socket, head };
    this.#owner.detached(this, tunnel);
    return tunnel;
  }

  // Called by the owner

  /** Closes now if no request is running; otherwise the running response is the last one. */
  closeWhenIdle(): void {
    this.#reusable = false;
    if (this.idle && this.#state !== "gone") {
      this.#close();
    }
  }

  /**
   * Closes the connection after the next response, which contains `Connection: close`. A client that sends its next
   * request at this moment gets a response.
   */
  leaveAfterResponse(): void {
    this.#leaves = true;
  }

  /**
   * Ends a request or an idle connection that exceeds its time limit, or drops the cached head of an idle connection.
   * @param now as of `Date.now()`
   */
  checkTimeouts(now: number): void {
    switch (this.#clock.latenessAt(now, this.#stream !== undefined, this.#body, this.#paused)) {
      case "head":
        this.#headTimedOut();
        break;
      case "rest":
        this.#heads.rest();
        break;
      case "body":
        this.#failBody(new ServerError("HTTP_TIMEOUT", "the client took too long to send the body"));
        break;
      case "response":
        this.socket.destroy();
        break;
      default:
    }
  }

  // Events of the socket

  readonly #onData = (chunk: Buffer): void => {
    if (this.#state === "closing") {
      return; // the connection is closing: data is dropped
    }
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#parse();
    if (this.#rest.length > maxHeldBytes && this.#state !== "head") {
      this.#pause();
    }
  };

  /** An unexpected error in this connection closes only this connection, not the other connections of the thread. */
  #broken(error: unknown): void {
    this.#state = "closing";
    this.#rest = empty;
    this.socket.destroy();
    this.#owner.fault(error);
  }

  readonly #onEnd = (): void => {
    this.#halfClosed = true;
    this.#reusable = false;
    if (this.#state === "closing") {
      return; // the code that closes the connection handles the event too
    }
    if (this.#responseDone) {
      this.#close(); // the client closed between two requests, or within the unread rest of a body
    } else if (this.#stream?.listener?.answersAlone !== true || this.#isBodyCut()) {
      // Almost all clients that close their side have disconnected completely, so running work should stop.
      this.socket.destroy();
    }
  };

  /** True when the client ended its side before the end of its request's body. */
  #isBodyCut(): boolean {
    const body = this.#body;
    return body !== undefined && !body.done && !body.isWholeWith(this.#rest.length);
  }

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    const stream = this.#stream;
    this.#state = "gone";
    this.#stream = undefined;
    this.#owner.closed(this);
    try {
      stream?.connectionClosed();
      const body = this.#body;
      if (body !== undefined && !body.done) {
        body.fail(new ServerError("CLIENT_GONE", "the client closed the connection"));
      }
    } catch (error) {
      this.#owner.fault(error);
    }
  };

  // Reading

  /** Processes the received bytes as far as possible now. */
  #parse(): void {
    if (this.#parsing) {
      return;
    }
    this.#parsing = true;
    try {
      for (;;) {
        const before = this.#rest.length;
        const state = this.#state;
        if (state === "head" && before > 0) {
          this.#parseHead();
        } else if (state === "body" && before > 0) {
          this.#parseBody();
        }
        if (this.#rest.length === before && this.#state === state) {
          break;
        }
      }
    } catch (error) {
      this.#broken(error);
    } finally {
      this.#parsing = false;
    }
  }

  /** Parses a head. A client that starts a head in time has the full time limit for heads to complete it. */
  #parseHead(): void {
    const heads = this.#heads;
    const bytes = this.#rest;
    const { limits } = this.#owner;
    const wasUnderWay = heads.isUnderWay;
    let head: RequestHead | "preface" | undefined;
    try {
      head = heads.scan(bytes, limits.maxHeaderBytes);
    } catch (error) {
      this.#refuse(serverErrorOf(error));
      return;
    }
    if (head === undefined) {
      if (heads.isUnderWay && !wasUnderWay && !heads.isFirst) {
        this.#clock.awaitHead(Date.now(), limits.readHeaderTimeoutMs);
      }
    } else if (head === "preface") {
      this.#takeHttp2();
    } else {
      this.#rest = heads.used === bytes.length ? empty : bytes.subarray(heads.used);
      this.#begin(head);
    }
  }

  /** Hands the connection to the listener, because the client uses HTTP/2 without TLS. */
  #takeHttp2(): void {
    if (this.#owner.takeHttp2?.(this.socket, this.#rest)) {
      this.detach();
    } else {
      this.#refuse(new ServerError("HTTP_VERSION", "HTTP/2 is not served here"));
    }
  }

  /** Starts a request. The listener passes the request to its routes before this method returns. */
  #begin(head: RequestHead): void {
    this.#clock.begin(Date.now());
    this.#responseDone = false;
    const { bodyLength, expectsContinue } = head.fields;
    this.#body = bodyLength === 0 ? undefined : new RequestBody(this, bodyLength);
    this.#expectsContinue = expectsContinue;
    this.#state = "waiting";
    this.#stream = new H1Stream(this, head);
    this.#owner.take(this.#stream);
  }

  /** Called when a handler reads: sends `100 Continue` if needed, and reads the socket again. */
  bodyWanted(): void {
    const body = this.#body;
    if (body === undefined || body.done || this.#state === "gone") {
      return;
    }
    if (!body.touched) {
      body.touched = true;
      this.#clock.bodyMoved(Date.now());
    }
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      if (this.#stream?.headSent === false) {
        this.#stream.writeInterim(100, []);
      }
    }
    this.#state = "body";
    this.#resume();
    // Bytes that have already arrived are passed on after the reader's `read`, not within it.
    if (this.#rest.length > 0) {
      process.nextTick(() => this.#parse());
    }
  }

  /** Called when nobody will read the rest of the body. */
  bodyLeftAlone(): void {
    const body = this.#body;
    if (body !== undefined && !body.done) {
      body.dropping = true;
      this.#requestEnded();
    }
  }

  /** Passes bytes to the reader. An error of the reader fails the body. */
  #parseBody(): void {
    const body = this.#body;
    if (body === undefined) {
      return;
    }
    this.#clock.bodyMoved(Date.now());
    const bytes = this.#rest;
    this.#rest = empty;
    const reader = this.#stream?.listener;
    let used: number;
    try {
      used = reader === undefined ? body.take(bytes) : runFor(reader, this.#takeBody, body, bytes);
    } catch (error) {
      this.#failBody(serverErrorOf(error));
      return;
    }
    this.#rest = used === bytes.length ? empty : bytes.subarray(used);
    if (body.takeFull()) {
      this.#state = "waiting";
      this.#pause();
    }
    if (body.done) {
      this.#state = "waiting";
      if (reader === undefined) {
        body.end();
      } else {
        runFor(reader, () => body.end());
      }
      this.#requestEnded();
    } else if (body.isOverDropped) {
      this.#reusable = false;
      body.done = true;
      this.#requestEnded();
    }
  }

  readonly #takeBody = (body: RequestBody, bytes: Buffer): number => body.take(bytes);

  /** Fails a body that is broken, late or cut. The connection cannot continue after such a body. */
  #failBody(error: ServerError): void {
    this.#reusable = false;
    this.#state = "waiting";
    this.#rest = empty;
    this.#stream?.closeAfterwards();
    this.#body?.fail(error);
    this.#requestEnded();
  }

  /** Continues with the next request when request and response are complete. */
  #requestEnded(): void {
    if (!this.#responseDone || this.#stream === undefined) {
      return;
    }
    const body = this.#body;
    if (body !== undefined && !body.done) {
      this.#dropRest(body);
      return;
    }
    this.#stream = undefined;
    this.#body = undefined;
    if (this.#state === "gone") {
      return;
    }
    if (this.socket.destroyed) {
      // The connection was cut, but the listener has not noticed. Data that the client sent before is dropped.
      this.#state = "closing";
      this.#rest = empty;
      return;
    }
    if (!this.#reusable || this.#halfClosed || !this.#owner.accepting) {
      this.#close();
      return;
    }
    this.#state = "head";
    // If the request or the rest of its body arrived in this turn of the event loop, the clock was already read.
    const now = this.#parsing ? this.#clock.bodyAt : Date.now();
    this.#clock.awaitHead(now, this.#owner.limits.idleTimeoutMs);
    this.#resume();
    if (this.#rest.length > 0 && !this.#parsing) {
      this.#parse();
    }
  }

  /** Reads and drops the rest of a body after the response, up to a limit. */
  #dropRest(body: RequestBody): void {
    const waitsForContinue = this.#expectsContinue && !body.touched;
    if (waitsForContinue || !this.#reusable || !body.isDroppable) {
      body.done = true;
      this.#reusable = false;
      this.#requestEnded();
      return;
    }
    body.dropping = true;
    this.#state = "body";
    this.#clock.awaitHead(Date.now(), this.#owner.limits.readIdleTimeoutMs);
    this.#resume();
    if (!this.#parsing) {
      this.#parse();
    }
  }

  /** Answers an incomplete head with 408; closes an idle connection without a response. */
  #headTimedOut(): void {
    if (this.#rest.length > 0 && this.#stream === undefined) {
      this.#refuse(new ServerError("HTTP_TIMEOUT", "the client took too long to send the head"));
    } else {
      this.socket.destroy();
    }
  }

  /** Responds to bytes that are not a request, and closes. */
  #refuse(error: unknown): void {
    writeRefusal(this.socket, error);
    this.#close();
  }

  /** Closes normally: written bytes are still sent. `closed` of the owner is called when the socket is closed. */
  #close(): void {
    this.#state = "closing";
    this.#clock.stop();
    this.#rest = empty;
    endConnection(this.socket, this.#halfClosed);
  }

  #pause(): void {
    if (!this.#paused) {
      this.#paused = true;
      this.socket.pause();
    }
  }

  #resume(): void {
    if (this.#paused) {
      this.#paused = false;
      this.socket.resume();
    }
  }
}
