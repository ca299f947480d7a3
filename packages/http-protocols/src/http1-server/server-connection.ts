import type { Socket } from "node:net";
import { HeadScanner } from "../http1/head-scanner.ts";
import { Http1Error } from "../http1/http1-error.ts";
import { readDirectly } from "../http1/read-directly.ts";
import type { RequestHead } from "../http1/request-head.ts";
import type { ConnectionOwner, OwnedConnection } from "./connection-owner.ts";
import { type BodyFeeder, Http1Request, RequestBody } from "./http1-request.ts";
import { Http1Response, type ResponseCarrier, refusalOf } from "./http1-response.ts";

/**
 * State of the connection: the use of the next bytes.
 *
 * | State | Meaning | End of the state |
 * |---|---|---|
 * | `head` | the next bytes are a head | the head is complete; the time limit |
 * | `waiting` | a request is running, and the next bytes wait | the body is read or dropped; the response ends |
 * | `body` | bytes are passed to the consumer of the body, or dropped | the body is whole, broken, late or too large |
 * | `closing` | bytes are dropped, so that the client reads the last response | the client closes; the time limit |
 * | `gone` | the socket is closed | none |
 */
type State = "head" | "waiting" | "body" | "closing" | "gone";

const empty = Buffer.alloc(0);
/** Maximum number of bytes that wait for the next request in a pipeline. Above this limit, the socket is not read. */
const maxHeldBytes = 64 * 1024;
/** Maximum number of bytes of responses that the client has not taken. Above this limit, the next request waits. */
const maxUnsentBytes = 64 * 1024;
/** A late or idle client is cut after it has sent nothing for this number of rounds of the event loop. */
const quietRounds = 3;
/** Time for the client to send more after the last response, and in total, in milliseconds. */
const lingerMs = 1_000;
const maxLingerMs = 10_000;
/** Time in milliseconds for a request that the client sends at the end of the announced wait. Source: Node's servers of HTTP */
const idleBufferMs = 1_000;
/** An idle connection forgets the fields of its last request after this time, in milliseconds. */
const restAfterMs = 2_000;
const never = Number.MAX_SAFE_INTEGER - idleBufferMs;

const after = (now: number, timeoutMs: number): number => (timeoutMs > 0 ? now + timeoutMs : never);

/** One HTTP/1 connection of a server: requests come one after the other, and responses go in the same order. */
export class ServerConnection implements BodyFeeder, OwnedConnection, ResponseCarrier {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #heads = new HeadScanner();
  readonly #endDirectReading: () => void;
  #state: State = "head";
  /** Received bytes that are not used yet. */
  #rest: Buffer = empty;
  /** Response to the running request; undefined between two requests. */
  #response: Http1Response | undefined;
  /** Body of the running request; undefined while it has none. */
  #body: RequestBody | undefined;
  /** True when the client waits for `100 Continue` before it sends the body. */
  #expectsContinue = false;
  #isResponseDone = true;
  /** False: the connection closes after the running request. */
  #reusable = true;
  #isPaused = false;
  /** True during {@link #parse}. A handler may end the response meanwhile, which must not start a second parse. */
  #isParsing = false;
  /** True when the client ended its side; it may still read responses. */
  #isHalfClosed = false;
  /** Time at which the present state must have ended, in milliseconds since 1970. */
  #deadline: number;
  #closingSince = 0;
  #droppedAtEnd = 0;
  #idleSince: number;
  /** True while rounds of the event loop are counted before the client is cut. */
  #isWatched = false;

  /** @param now in milliseconds since 1970 */
  constructor(socket: Socket, owner: ConnectionOwner, now: number) {
    this.#socket = socket;
    this.#owner = owner;
    this.#idleSince = now;
    this.#deadline = after(now, owner.limits.firstByteTimeoutMs);
    socket.on("data", this.#onData);
    this.#endDirectReading = readDirectly(socket, this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
  }

  // Called by the server

  destroy(): void {
    this.#socket.destroy();
  }

  closeWhenIdle(): void {
    if (this.#isIdle) {
      this.#whenQuiet(
        () => this.#isIdle,
        () => this.#socket.destroy(),
      );
    }
  }

  checkTimeouts(now: number): void {
    if (this.#state === "head" && this.#rest.length === 0 && now - this.#idleSince >= restAfterMs) {
      this.#heads.rest();
    }
    if (this.#isLateAt(now)) {
      // A busy process may reach the limit before it reads bytes that were sent in time.
      this.#whenQuiet(
        () => this.#isLateAt(now),
        () => this.#timedOut(),
      );
    }
  }

  // Called by the running response

  get stayLines(): string {
    return this.#mayStay ? this.#owner.stayLines : "";
  }

  send(bytes: string | Buffer, stays: boolean): void {
    const socket = this.#socket;
    this.#reusable &&= stays;
    socket.write(bytes, "latin1");
    if (socket.writableLength <= maxUnsentBytes || socket.destroyed) {
      this.#responseEnded();
    } else {
      socket.write("", () => this.#responseEnded());
    }
  }

  // Called by the running body

  bodyWanted(body: RequestBody): void {
    if (body !== this.#body || this.#state === "gone") {
      return;
    }
    if (this.#expectsContinue) {
      this.#expectsContinue = false;
      if (!this.#isResponseDone) {
        this.#socket.write("HTTP/1.1 100 Continue\r\n\r\n", "latin1");
      }
    }
    this.#readBody();
  }

  bodyLeftAlone(body: RequestBody): void {
    if (body !== this.#body || this.#state === "gone") {
      return;
    }
    if (this.#isRestUnwanted(body)) {
      body.abandon();
      this.#reusable = false;
      this.#requestEnded();
    } else {
      this.#readBody();
    }
  }

  // Events of the socket

  readonly #onData = (chunk: Buffer): void => {
    if (this.#state === "closing") {
      this.#lingerOn(chunk.length);
      return;
    }
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#parse();
    if (this.#state === "waiting" && this.#rest.length > maxHeldBytes && !this.#isPaused) {
      this.#isPaused = true;
      this.#socket.pause();
    }
  };

  readonly #onEnd = (): void => {
    this.#isHalfClosed = true;
    if (this.#state === "closing") {
      this.#destroyWhenSent();
    } else {
      this.#parse();
    }
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#state = "gone";
    this.#rest = empty;
    this.#endDirectReading();
    this.#owner.closed(this);
    const body = this.#body;
    try {
      this.#response?.close();
      if (body !== undefined && !body.isDone) {
        body.fail(new Http1Error("gone", "the sender went away"));
      }
    } catch (error) {
      this.#owner.fault(error);
    }
  };

  // Reading

  /** Processes the received bytes as far as possible now. */
  #parse(): void {
    if (this.#isParsing) {
      return;
    }
    this.#isParsing = true;
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
      if (this.#isHalfClosed) {
        this.#endOfInput();
      }
    } catch (error) {
      this.#socket.destroy();
      this.#owner.fault(error);
    } finally {
      this.#isParsing = false;
    }
  }

  /** A client that starts a head in time has the full time limit for heads to complete it. */
  #parseHead(): void {
    const heads = this.#heads;
    const bytes = this.#rest;
    const { limits } = this.#owner;
    const wasUnderWay = heads.isUnderWay;
    let head: RequestHead | "preface" | undefined;
    try {
      head = heads.scan(bytes, limits.maxHeaderBytes);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    if (head === undefined) {
      if (heads.isUnderWay && !wasUnderWay) {
        this.#deadline = after(Date.now(), limits.readHeaderTimeoutMs);
      }
    } else if (head === "preface") {
      this.#refuse(new Http1Error("malformed", "HTTP/2 is not served here"));
    } else {
      this.#rest = heads.used === bytes.length ? empty : bytes.subarray(heads.used);
      this.#begin(head);
    }
  }

  #begin(head: RequestHead): void {
    const { bodyLength, expectsContinue } = head.fields;
    const { readTimeoutMs, maxDroppedBytes } = this.#owner.limits;
    this.#deadline = bodyLength === 0 ? never : after(Date.now(), readTimeoutMs);
    this.#body = bodyLength === 0 ? undefined : new RequestBody(this, bodyLength, maxDroppedBytes);
    this.#expectsContinue = expectsContinue;
    this.#isResponseDone = false;
    this.#state = "waiting";
    const response = new Http1Response(this, head);
    this.#response = response;
    try {
      this.#owner.take(new Http1Request(head, this.#body), response);
    } catch (error) {
      this.#owner.fault(error);
      this.#reusable = false;
      response.writeHead(500).end();
    }
  }

  /** Reads the body: passes its bytes to the consumer, or drops them. */
  #readBody(): void {
    this.#state = "body";
    this.#resume();
    this.#parse();
  }

  #parseBody(): void {
    const body = this.#body as RequestBody;
    const bytes = this.#rest;
    this.#rest = empty;
    let used: number;
    try {
      used = body.take(bytes);
    } catch (error) {
      if (!(error instanceof Http1Error)) {
        throw error;
      }
      this.#failBody(error);
      return;
    }
    this.#rest = used === bytes.length ? empty : bytes.subarray(used);
    if (body.isDone) {
      this.#deadline = never;
      this.#state = "waiting";
      body.end();
      this.#requestEnded();
    } else if (body.isDropped && !body.isDroppable) {
      this.#state = "waiting";
      this.#reusable = false;
      body.abandon();
      this.#requestEnded();
    }
  }

  /** The consumer of the body answers the error. Bytes after a broken body are no request. */
  #failBody(error: Http1Error): void {
    this.#reusable = false;
    this.#deadline = never;
    this.#state = "waiting";
    this.#rest = empty;
    this.#body?.fail(error);
    this.#requestEnded();
  }

  /** Called when the client has ended its side. An incomplete request fails. */
  #endOfInput(): void {
    if (this.#state === "body") {
      this.#failBody(new Http1Error("malformed", "the request ended before its body"));
    } else if (this.#state === "head") {
      if (this.#rest.length > 0) {
        this.#refuse(new Http1Error("malformed", "the request ended before its head"));
      } else {
        this.#close();
      }
    }
  }

  // Between two requests

  #responseEnded(): void {
    if (this.#isResponseDone) {
      return;
    }
    this.#isResponseDone = true;
    this.#response?.close();
    this.#requestEnded();
  }

  /** Continues with the next request when request and response are complete. */
  #requestEnded(): void {
    if (!this.#isResponseDone || this.#response === undefined || this.#state === "gone") {
      return;
    }
    const body = this.#body;
    if (body !== undefined && !body.isDone) {
      body.drop();
      return;
    }
    this.#response = undefined;
    this.#body = undefined;
    if (!this.#reusable) {
      this.#close();
      return;
    }
    const now = Date.now();
    this.#state = "head";
    this.#idleSince = now;
    this.#deadline = after(now, this.#owner.limits.idleTimeoutMs) + idleBufferMs;
    this.#resume();
    this.#parse();
  }

  /** True when no request is running or has begun to arrive. */
  get #isIdle(): boolean {
    return this.#state === "head" && this.#rest.length === 0;
  }

  /** True when the connection may carry another request after the running one. */
  get #mayStay(): boolean {
    const body = this.#body;
    return (
      this.#reusable &&
      this.#owner.accepting &&
      !(this.#isHalfClosed && this.#rest.length === 0) &&
      (body === undefined || body.isDone || !this.#isRestUnwanted(body))
    );
  }

  /** True for a rest that is too large to be dropped, or that the client does not send without `100 Continue`. */
  #isRestUnwanted(body: RequestBody): boolean {
    return (this.#expectsContinue && !body.isWanted) || !body.isDroppable;
  }

  // Time limits

  #isLateAt(now: number): boolean {
    return now >= this.#deadline && this.#state !== "waiting" && this.#state !== "gone";
  }

  #timedOut(): void {
    if (this.#state === "body" && !this.#isResponseDone) {
      this.#failBody(new Http1Error("late", "the sender took too long to send the body"));
    } else if (this.#state === "head" && this.#rest.length > 0) {
      this.#refuse(new Http1Error("late", "the client took too long to send the head"));
    } else {
      this.#socket.destroy();
    }
  }

  /** Calls `act` when nothing has arrived for some rounds of the event loop, unless `holds` became false before. */
  #whenQuiet(holds: () => boolean, act: () => void): void {
    if (this.#isWatched) {
      return;
    }
    this.#isWatched = true;
    let bytesRead = this.#socket.bytesRead;
    let rounds = 0;
    const look = (): void => {
      const now = this.#socket.bytesRead;
      rounds = now === bytesRead ? rounds + 1 : 0;
      bytesRead = now;
      if (!holds()) {
        this.#isWatched = false;
      } else if (rounds > quietRounds) {
        this.#isWatched = false;
        act();
      } else {
        setImmediate(look);
      }
    };
    setImmediate(look);
  }

  // The end

  /** Responds to bytes that are not a request, and closes. */
  #refuse(error: unknown): void {
    if (!(error instanceof Http1Error)) {
      throw error;
    }
    this.#socket.write(refusalOf(error), "latin1");
    this.#close();
  }

  /**
   * Ends our side, and drops what the client still sends. If the socket closed while bytes of the client are unread,
   * the client would see a reset instead of the response.
   */
  #close(): void {
    const now = Date.now();
    this.#state = "closing";
    this.#rest = empty;
    this.#closingSince = now;
    this.#deadline = now + lingerMs;
    this.#socket.end();
    this.#resume();
    if (this.#isHalfClosed) {
      this.#destroyWhenSent();
    }
  }

  #lingerOn(bytes: number): void {
    this.#droppedAtEnd += bytes;
    this.#deadline = Math.min(Date.now() + lingerMs, this.#closingSince + maxLingerMs);
    if (this.#droppedAtEnd > this.#owner.limits.maxDroppedBytes) {
      this.#socket.destroy();
    }
  }

  #destroyWhenSent(): void {
    const socket = this.#socket;
    if (socket.writableFinished) {
      socket.destroy();
    } else {
      socket.once("finish", () => socket.destroy());
    }
  }

  #resume(): void {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#socket.resume();
    }
  }
}
