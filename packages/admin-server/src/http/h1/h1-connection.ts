import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { ServerError } from "../../core/errors.ts";
import { closeLingering } from "../close-lingering.ts";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { HeaderList } from "../header-list.ts";
import { httpStatus } from "../http-status.ts";
import type { DetachedConnection } from "../http-stream.ts";
import { ConnectionClock } from "./connection-clock.ts";
import { findHeadFault } from "./find-head-fault.ts";
import { type H1Carrier, H1Stream } from "./h1-stream.ts";
import { readDirectly } from "./read-directly.ts";
import { type BodyFeeder, RequestBody } from "./request-body.ts";
import { type RequestHead, RequestHeadReader } from "./request-head.ts";

/** What a connection needs of its listener. */
export interface ConnectionOwner {
  readonly limits: ConnectionLimits;
  readonly accepting: boolean;
  take(stream: H1Stream): void;
  /** The connection begins with the preface of HTTP/2. @returns whether it was taken */
  takeHttp2?(socket: Socket, bytes: Buffer): boolean;
  closed(connection: H1Connection): void;
  detached(connection: H1Connection): void;
}

/** Held for a handler that has not asked for the body yet, or for the next request in a pipeline. */
const maxHeldBytes = 64 * 1024;

const headEnd = Buffer.from("\r\n\r\n");
const preface = "PRI * HTTP/2.0\r\n\r\n";
const empty = Buffer.alloc(0);
const noTrailers: HeaderList = []; // never changed
const lf = 0x0a;
const cr = 0x0d;

type State = "head" | "body" | "waiting" | "closing" | "gone";

/** One connection that speaks HTTP/1: requests in, one after the other, responses out in the same order. */
export class H1Connection implements H1Carrier, BodyFeeder {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  #state: State = "head";
  /** Bytes that came and are not used up. */
  #rest: Buffer = empty;
  /** How much of `#rest` was searched for the end of a head. */
  #searched = 0;
  #stream: H1Stream | undefined;
  /** The body of the request under way; undefined while it has none. */
  #body: RequestBody | undefined;
  readonly #heads = new RequestHeadReader();
  #expectsContinue = false;
  #responseDone = true;
  #reusable = true;
  #paused = false;
  #parsing = false;
  #halfClosed = false;
  #anyRequest = false;
  #drains: (() => void)[] = [];
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
    socket.on("drain", this.#onDrain);
  }

  get accepting(): boolean {
    return this.#owner.accepting;
  }

  get bodyTouched(): boolean {
    return this.#body?.touched === true;
  }

  get requestTrailers(): HeaderList {
    return this.#body?.trailers ?? noTrailers;
  }

  /** Whether no request is under way. */
  get idle(): boolean {
    return this.#stream === undefined;
  }

  // Called by the stream

  openBody(): Readable {
    this.#body ??= new RequestBody(this, 0);
    return this.#body.reader;
  }

  onceDrain(callback: () => void): void {
    if (this.socket.writableNeedDrain) {
      this.#drains.push(callback);
    } else {
      process.nextTick(callback);
    }
  }

  responseEnded(reusable: boolean): void {
    this.#reusable &&= reusable;
    this.#responseDone = true;
    this.#requestEnded();
  }

  detach(): DetachedConnection {
    const { socket } = this;
    this.#state = "gone";
    socket.pause();
    socket.off("data", this.#onData);
    this.#endDirectReading();
    socket.off("end", this.#onEnd);
    socket.off("drain", this.#onDrain);
    socket.off("error", this.#onError);
    socket.on("error", () => socket.destroy());
    const head = this.#rest;
    this.#rest = empty;
    this.#heads.rest();
    this.#owner.detached(this);
    return { socket, head };
  }

  // Called by the owner

  /** Closes now if no request is under way; else its response is the last. */
  closeWhenIdle(): void {
    this.#reusable = false;
    if (this.idle && this.#state !== "gone") {
      this.#close();
    }
  }

  /** Looks for what took too long. @param now as of `Date.now()` */
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
      return; // lingering: dropped
    }
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#parse();
    if (this.#rest.length > maxHeldBytes && this.#state !== "head") {
      this.#pause();
    }
  };

  readonly #onEnd = (): void => {
    this.#halfClosed = true;
    this.#reusable = false;
    if (this.idle) {
      this.#close();
    } else if (!this.#responseDone) {
      // Nearly all clients that close are gone altogether: who works for them should hear of it.
      this.socket.destroy();
    }
  };

  readonly #onError = (): void => {
    this.socket.destroy();
  };

  readonly #onClose = (): void => {
    const stream = this.#stream;
    this.#state = "gone";
    this.#stream = undefined;
    stream?.connectionClosed();
    const body = this.#body;
    if (body !== undefined && !body.done) {
      body.fail(new ServerError("CLIENT_GONE", "the client closed the connection"));
    }
    this.#owner.closed(this);
  };

  readonly #onDrain = (): void => {
    const drains = this.#drains;
    this.#drains = [];
    for (const drain of drains) {
      drain();
    }
  };

  // Reading

  /** Uses up what came, as far as it can be used now. */
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
    } finally {
      this.#parsing = false;
    }
  }

  #parseHead(): void {
    const again = this.#searched === 0 ? this.#heads.readAgain(this.#rest) : undefined;
    if (again !== undefined) {
      this.#rest = empty;
      this.#begin(again);
      return;
    }
    let start = 0;
    // One empty line before a request is passed over: RFC 9112, section 2.2.
    if (this.#rest[0] === cr && this.#rest[1] === lf) {
      start = 2;
    }
    const end = this.#rest.indexOf(headEnd, Math.max(start, this.#searched - 3));
    const { maxHeaderBytes } = this.#owner.limits;
    if (end === -1 || end - start > maxHeaderBytes) {
      this.#headIncomplete(start, maxHeaderBytes);
      return;
    }
    const text = this.#rest.toString("latin1", start, end + 2);
    this.#searched = 0;
    let head: RequestHead;
    try {
      if (!this.#anyRequest && text.startsWith(preface.slice(0, -2)) && this.#takeHttp2()) {
        return;
      }
      head = this.#heads.read(text);
    } catch (error) {
      this.#refuse(error);
      return;
    }
    this.#rest = end + 4 === this.#rest.length ? empty : this.#rest.subarray(end + 4);
    this.#begin(head);
  }

  #takeHttp2(): boolean {
    const taken = this.#owner.takeHttp2?.(this.socket, this.#rest) ?? false;
    if (taken) {
      this.detach();
    }
    return taken;
  }

  /** Refuses as early as can be seen what will never be a good head. */
  #headIncomplete(start: number, maxHeaderBytes: number): void {
    if (this.#searched === 0 && this.#anyRequest && this.#rest.length > start) {
      this.#clock.awaitHead(Date.now(), this.#owner.limits.readHeaderTimeoutMs);
    }
    const fault = findHeadFault(this.#rest, start, this.#searched, maxHeaderBytes);
    if (fault !== undefined) {
      this.#refuse(fault);
      return;
    }
    this.#searched = this.#rest.length;
  }

  #begin(head: RequestHead): void {
    this.#anyRequest = true;
    this.#clock.begin(Date.now());
    this.#responseDone = false;
    const { bodyLength, expectsContinue } = head.fields;
    this.#body = bodyLength === 0 ? undefined : new RequestBody(this, bodyLength);
    this.#expectsContinue = expectsContinue;
    this.#state = "waiting";
    this.#stream = new H1Stream(this, head);
    this.#owner.take(this.#stream);
  }

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
    // Not from within `read`: what is there already comes in a turn of its own.
    if (this.#rest.length > 0) {
      process.nextTick(() => this.#parse());
    }
  }

  bodyLeftAlone(): void {
    const body = this.#body;
    if (body !== undefined && !body.done) {
      body.dropping = true;
      this.#requestEnded();
    }
  }

  #parseBody(): void {
    const body = this.#body;
    if (body === undefined) {
      return;
    }
    this.#clock.bodyMoved(Date.now());
    const bytes = this.#rest;
    this.#rest = empty;
    let used: number;
    try {
      used = body.take(bytes);
    } catch (error) {
      this.#failBody(error as ServerError);
      return;
    }
    this.#rest = used === bytes.length ? empty : bytes.subarray(used);
    if (body.takeFull()) {
      this.#state = "waiting";
      this.#pause();
    }
    if (body.done) {
      this.#state = "waiting";
      body.end();
      this.#requestEnded();
    } else if (body.isOverDropped) {
      this.#reusable = false;
      body.done = true;
      this.#requestEnded();
    }
  }

  /** The body is broken, late or cut: the connection has no future. */
  #failBody(error: ServerError): void {
    this.#reusable = false;
    this.#state = "waiting";
    this.#rest = empty;
    this.#stream?.closeAfterwards();
    this.#body?.fail(error);
    this.#requestEnded();
  }

  /** Goes on to the next request when both the request and its response are through. */
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
    if (!this.#reusable || this.#halfClosed || !this.#owner.accepting) {
      this.#close();
      return;
    }
    this.#state = "head";
    // In the turn in which the request came, or the rest of its body, the clock was read already.
    const now = this.#parsing ? this.#clock.bodyAt : Date.now();
    this.#clock.awaitHead(now, this.#owner.limits.idleTimeoutMs);
    this.#resume();
    if (this.#rest.length > 0 && !this.#parsing) {
      this.#parse();
    }
  }

  /** The response is out and the client still sends: its body is taken and dropped, up to a limit. */
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

  #headTimedOut(): void {
    if (this.#rest.length > 0 && this.#stream === undefined) {
      this.#refuse(new ServerError("HTTP_TIMEOUT", "the client took too long to send the head"));
    } else {
      this.socket.destroy();
    }
  }

  /** Answers what is no request, and closes. */
  #refuse(error: unknown): void {
    const status = httpStatus(error);
    this.socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    this.#close();
  }

  /** Ends our side, and gives the client a moment to read the answer before the connection is gone. */
  #close(): void {
    const { socket } = this;
    this.#state = "closing";
    this.#clock.stop();
    this.#rest = empty;
    if (socket.destroyed) {
      return;
    }
    if (this.#halfClosed) {
      socket.end(() => socket.destroy());
      return;
    }
    closeLingering(socket);
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
