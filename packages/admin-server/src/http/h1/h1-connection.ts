import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { ServerError } from "../../core/errors.ts";
import type { ConnectionLimits } from "../connection-limits.ts";
import type { HeaderList } from "../header-list.ts";
import { httpStatus } from "../http-status.ts";
import type { DetachedConnection } from "../http-stream.ts";
import { ChunkedDecoder } from "./chunked-decoder.ts";
import { H1Body } from "./h1-body.ts";
import { type H1Carrier, H1Stream } from "./h1-stream.ts";
import { parseRequestHead, type RequestHead } from "./request-head.ts";

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

/** Of a body that no handler reads, so much is taken and dropped to keep the connection. Source: the model's server */
const maxDroppedBytes = 256 * 1024;
/** How long a connection with an answer that came too early for the client is held open for it to be read. */
const lingerMs = 500;
/** Held for a handler that has not asked for the body yet, or for the next request in a pipeline. */
const maxHeldBytes = 64 * 1024;

const headEnd = Buffer.from("\r\n\r\n");
const preface = "PRI * HTTP/2.0\r\n\r\n";
const empty = Buffer.alloc(0);
const noTrailers: HeaderList = []; // never changed
const lf = 0x0a;
const cr = 0x0d;

function deadline(now: number, timeoutMs: number): number {
  return timeoutMs > 0 ? now + timeoutMs : Number.MAX_SAFE_INTEGER;
}

type State = "head" | "body" | "waiting" | "closing" | "gone";

/** One connection that speaks HTTP/1: requests in, one after the other, responses out in the same order. */
export class H1Connection implements H1Carrier {
  readonly socket: Socket;
  readonly #owner: ConnectionOwner;
  #state: State = "head";
  /** Bytes that came and are not used up. */
  #rest: Buffer = empty;
  /** How much of `#rest` was searched for the end of a head. */
  #searched = 0;
  #stream: H1Stream | undefined;
  #body: H1Body | undefined;
  #decoder: ChunkedDecoder | undefined;
  #trailers: HeaderList = noTrailers;
  /** Bytes of a body of declared length still to come. */
  #bodyLeft = 0;
  #bodyDone = true;
  #touched = false;
  #dropping = false;
  #dropped = 0;
  #bodyFault: ServerError | undefined;
  #expectsContinue = false;
  #responseDone = true;
  #reusable = true;
  #paused = false;
  #parsing = false;
  #halfClosed = false;
  #anyRequest = false;
  #drains: (() => void)[] = [];
  /** Times as of `Date.now()`; 0: none. */
  #headDeadline: number;
  #requestSince = 0;
  #bodySince = 0;
  #writtenAt = 0;
  #bytesWritten = 0;

  constructor(socket: Socket, owner: ConnectionOwner, now: number) {
    this.socket = socket;
    this.#owner = owner;
    this.#headDeadline = deadline(now, owner.limits.readHeaderTimeoutMs);
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
    socket.on("drain", this.#onDrain);
  }

  get accepting(): boolean {
    return this.#owner.accepting;
  }

  get bodyTouched(): boolean {
    return this.#touched;
  }

  get requestTrailers(): HeaderList {
    return this.#bodyDone ? this.#trailers : noTrailers;
  }

  /** Whether no request is under way. */
  get idle(): boolean {
    return this.#stream === undefined;
  }

  // Called by the stream

  openBody(): Readable {
    if (this.#body === undefined) {
      const body = new H1Body(
        () => this.#bodyWanted(),
        () => this.#bodyLeftAlone(),
      );
      this.#body = body;
      if (this.#bodyFault !== undefined) {
        body.destroy(this.#bodyFault);
      } else if (this.#bodyDone && !this.#dropping) {
        body.push(null);
      }
    }
    return this.#body;
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
    socket.off("end", this.#onEnd);
    socket.off("drain", this.#onDrain);
    socket.off("error", this.#onError);
    socket.on("error", () => socket.destroy());
    const head = this.#rest;
    this.#rest = empty;
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
    const { limits } = this.#owner;
    if (this.#headDeadline !== 0) {
      if (now >= this.#headDeadline) {
        this.#headTimedOut();
      }
      return;
    }
    if (this.#stream === undefined) {
      return;
    }
    const since = now - this.#requestSince;
    if (!this.#bodyDone && !this.#dropping && this.#touched) {
      const slow = limits.readTimeoutMs > 0 && since >= limits.readTimeoutMs;
      const silent =
        !this.#paused && limits.readIdleTimeoutMs > 0 && now - this.#bodySince >= limits.readIdleTimeoutMs;
      if (slow || silent) {
        this.#failBody(new ServerError("HTTP_TIMEOUT", "the client took too long to send the body"));
        return;
      }
    }
    const { bytesWritten } = this.socket;
    if (bytesWritten !== this.#bytesWritten || this.socket.writableLength === 0) {
      this.#bytesWritten = bytesWritten;
      this.#writtenAt = now;
    }
    const stuck = limits.writeIdleTimeoutMs > 0 && now - this.#writtenAt >= limits.writeIdleTimeoutMs;
    if (stuck || (limits.writeTimeoutMs > 0 && since >= limits.writeTimeoutMs)) {
      this.socket.destroy();
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
    if (!this.#bodyDone) {
      this.#bodyDone = true;
      this.#body?.destroy(new ServerError("CLIENT_GONE", "the client closed the connection"));
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
      head = parseRequestHead(text);
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
    const { limits } = this.#owner;
    if (this.#searched === 0 && this.#anyRequest && this.#rest.length > start) {
      this.#headDeadline = deadline(Date.now(), limits.readHeaderTimeoutMs);
    }
    const from = Math.max(start, this.#searched);
    let feed = this.#rest.indexOf(lf, from);
    while (feed !== -1) {
      if (feed === 0 || this.#rest[feed - 1] !== cr) {
        this.#refuse(new ServerError("HTTP_BAD_REQUEST", "a line of the head ends without CR"));
        return;
      }
      feed = this.#rest.indexOf(lf, feed + 1);
    }
    const first = this.#rest[start];
    if (first !== undefined && first !== cr && (first < 0x21 || first > 0x7e)) {
      this.#refuse(new ServerError("HTTP_BAD_REQUEST", "not HTTP"));
      return;
    }
    if (this.#rest.length - start > maxHeaderBytes) {
      this.#refuse(
        new ServerError("HTTP_HEADER_TOO_LARGE", `the head is over the limit of ${maxHeaderBytes} bytes`),
      );
      return;
    }
    this.#searched = this.#rest.length;
  }

  #begin(head: RequestHead): void {
    const now = Date.now();
    this.#anyRequest = true;
    this.#headDeadline = 0;
    this.#requestSince = now;
    this.#bodySince = now;
    this.#writtenAt = now;
    this.#responseDone = false;
    this.#touched = false;
    this.#dropping = false;
    this.#dropped = 0;
    this.#bodyFault = undefined;
    this.#body = undefined;
    this.#expectsContinue = head.expectsContinue;
    this.#bodyDone = head.bodyLength === 0;
    this.#bodyLeft = head.bodyLength;
    this.#trailers = head.bodyLength === -1 ? [] : noTrailers;
    this.#decoder =
      head.bodyLength === -1
        ? new ChunkedDecoder(
            (data) => this.#pushBody(data),
            (name, value) => this.#trailers.push(name, value),
          )
        : undefined;
    this.#state = "waiting";
    this.#stream = new H1Stream(this, head);
    this.#owner.take(this.#stream);
  }

  /** A handler reads the body, or reads on. */
  #bodyWanted(): void {
    if (this.#bodyDone || this.#state === "gone") {
      return;
    }
    if (!this.#touched) {
      this.#touched = true;
      this.#bodySince = Date.now();
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

  #parseBody(): void {
    this.#bodySince = Date.now();
    const bytes = this.#rest;
    let used: number;
    if (this.#decoder === undefined) {
      used = Math.min(bytes.length, this.#bodyLeft);
      this.#bodyLeft -= used;
      this.#rest = used === bytes.length ? empty : bytes.subarray(used);
      this.#pushBody(bytes.subarray(0, used));
    } else {
      this.#rest = empty;
      try {
        used = this.#decoder.push(bytes);
      } catch (error) {
        this.#failBody(error as ServerError);
        return;
      }
      this.#rest = used === bytes.length ? empty : bytes.subarray(used);
    }
    if (this.#decoder === undefined ? this.#bodyLeft === 0 : this.#decoder.done) {
      this.#bodyDone = true;
      this.#state = "waiting";
      this.#body?.push(null);
      this.#requestEnded();
    }
  }

  #pushBody(data: Buffer): void {
    if (this.#dropping) {
      this.#dropped += data.length;
      if (this.#dropped > maxDroppedBytes) {
        this.#reusable = false;
        this.#bodyDone = true;
        this.#requestEnded();
      }
    } else if (this.#body?.push(data) === false) {
      this.#state = "waiting";
      this.#pause();
    }
  }

  /** The body is broken, late or cut: who reads it is told, and the connection has no future. */
  #failBody(error: ServerError): void {
    this.#bodyDone = true;
    this.#reusable = false;
    this.#bodyFault = error;
    this.#state = "waiting";
    this.#rest = empty;
    this.#stream?.closeAfterwards();
    if (this.#body !== undefined && !this.#body.destroyed) {
      this.#body.destroy(error);
    }
    this.#requestEnded();
  }

  /** Nobody will read the rest of the body. */
  #bodyLeftAlone(): void {
    if (!this.#bodyDone) {
      this.#dropping = true;
      this.#requestEnded();
    }
  }

  /** Goes on to the next request when both the request and its response are through. */
  #requestEnded(): void {
    if (!this.#responseDone || this.#stream === undefined) {
      return;
    }
    if (!this.#bodyDone) {
      this.#dropRest();
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
    this.#headDeadline = deadline(Date.now(), this.#owner.limits.idleTimeoutMs);
    this.#resume();
    if (this.#rest.length > 0 && !this.#parsing) {
      this.#parse();
    }
  }

  /** The response is out and the client still sends: its body is taken and dropped, up to a limit. */
  #dropRest(): void {
    const waitsForContinue = this.#expectsContinue && !this.#touched;
    if (waitsForContinue || !this.#reusable || this.#bodyLeft > maxDroppedBytes) {
      this.#bodyDone = true;
      this.#reusable = false;
      this.#requestEnded();
      return;
    }
    this.#dropping = true;
    this.#state = "body";
    this.#headDeadline = deadline(Date.now(), this.#owner.limits.readIdleTimeoutMs);
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
    this.#headDeadline = 0;
    this.#rest = empty;
    if (socket.destroyed) {
      return;
    }
    if (this.#halfClosed) {
      socket.end(() => socket.destroy());
      return;
    }
    socket.end();
    socket.resume();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    timer.unref();
    socket.once("end", () => socket.destroy());
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
