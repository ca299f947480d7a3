import type { Socket } from "node:net";
import type { HeaderList } from "http-engine/header-list";
import { ChunkedDecoder } from "http-protocols/http1/chunked-decoder";
import { runFor } from "server-core/threads/error-owner";
import { BodyWriter } from "../body-writer.ts";
import { type ReadBuffer, readBufferOf } from "../read-buffer.ts";
import { hasFailedWrite } from "../received-first.ts";
import { isReplayable } from "../replayable.ts";
import type { CallStage } from "../transport.ts";
import { faultOfUpstream } from "./fault-of-upstream.ts";
import { H1BodySink } from "./h1-body-sink.ts";
import type { H1Call } from "./h1-call.ts";
import { type H1ConnectionState, states } from "./h1-connection-state.ts";
import type { H1Limits } from "./h1-limits.ts";
import { legacyHeadEnd } from "./legacy-head.ts";
import { bodyFraming, type ResponseHead, type ResponseHeadReader } from "./response-head.ts";

/** The part of the pool that a connection needs. */
export interface H1ConnectionOwner {
  /** Time limits and sizes that all connections of the pool share. */
  readonly limits: H1Limits;
  readonly heads: ResponseHeadReader;
  /** Called when the call is over and the connection can carry a further call. */
  connectionFree(connection: H1ClientConnection): void;
  /** Called when the connection is closed and cannot be used again. */
  connectionClosed(connection: H1ClientConnection): void;
  /** Called when the upstream closed a kept connection just after a repeatable call was sent. */
  sendAgain(call: H1Call): void;
}

/**
 * Maximum number of interim responses before the final response. A call with more fails, because an upstream could send
 * them forever.
 */
const maxInterims = 32;
const headEnd = Buffer.from("\r\n\r\n");
const noBytes = Buffer.alloc(0);
const noTrailers: HeaderList = [];

/** One HTTP/1 connection to an upstream. It carries one request at a time. Source: RFC 9112 */
export class H1ClientConnection {
  readonly socket: Socket;
  readonly #owner: H1ConnectionOwner;
  readonly #buffer: ReadBuffer | undefined;
  /** True while a receiver keeps part of the read buffer. */
  #kept = false;
  #state: H1ConnectionState = states.idle;
  /** The current call, in the states `head` and `body`. */
  #call: H1Call | undefined;
  /** Bytes of an incomplete head. */
  #partial: Buffer = noBytes;
  /** Head of the response whose body is being received. */
  #head: ResponseHead | undefined;
  /** Remaining bytes of a body with known length. */
  #left = 0;
  /** Decodes chunks; undefined for a body that is not chunked. */
  #decoder: ChunkedDecoder | undefined;
  #trailers: HeaderList = noTrailers;
  #interims = 0;
  /** True when the connection has carried an earlier call. */
  #isReused = false;
  /** Sends a streamed body; set from the first byte. */
  #writer: BodyWriter | undefined;
  /** True once the whole request was written. */
  #requestDone = false;
  /** Ends the wait for `100 Continue`: when the timer fires, the body is sent without it. */
  #continueTimer: NodeJS.Timeout | undefined;
  /** Ends the wait for the head; starts once the request is sent. */
  #headerTimer: NodeJS.Timeout | undefined;
  /** True while the receiver accepts no data. The socket is not read until `resume`. */
  #paused = false;
  /** End of the allowed idle time, on the clock of `performance.now()`. */
  idleUntil = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, owner: H1ConnectionOwner) {
    this.socket = socket;
    this.#owner = owner;
    this.#buffer = readBufferOf(socket);
    if (this.#buffer === undefined) {
      socket.on("data", this.#onData);
    } else {
      this.#buffer.take = (bytes) => {
        this.#kept = false;
        this.#onData(bytes);
        return this.#kept;
      };
    }
    socket.on("end", this.#onEnd);
    socket.on("error", this.#onError);
    socket.on("close", this.#onClose);
    socket.on("timeout", this.#onTimeout);
  }

  get usable(): boolean {
    return this.#state === states.idle && !this.socket.destroyed && this.socket.readyState === "open";
  }

  /** Sends a request. The connection must be free. */
  run(call: H1Call): void {
    const { limits } = this.#owner;
    this.#call = call;
    call.connection = this;
    this.#state = states.head;
    this.#head = undefined;
    this.#partial = noBytes;
    this.#interims = 0;
    this.#requestDone = false;
    const silence = Math.max(limits.readTimeoutMs, limits.writeTimeoutMs);
    if (silence > 0) {
      this.socket.setTimeout(silence);
    }
    call.receiver.sent();
    if (this.#call !== call) {
      return; // the call was aborted in the meantime
    }
    const { body } = call;
    if (body instanceof Uint8Array) {
      this.socket.cork();
      this.socket.write(call.head, "latin1");
      this.socket.write(body);
      this.socket.uncork();
      this.#requestWritten();
      return;
    }
    this.socket.write(call.head, "latin1");
    if (body === undefined) {
      this.#requestWritten();
    } else if (call.expectsContinue && limits.expectContinueTimeoutMs > 0) {
      this.#continueTimer = setTimeout(() => this.#sendBody(), limits.expectContinueTimeoutMs);
    } else {
      this.#sendBody();
    }
  }

  resume(call: H1Call): void {
    if (this.#call === call) {
      this.#paused = false;
      this.socket.resume();
    }
  }

  /** Abandons the call. The connection is closed too, because a response is being received. */
  abandon(call: H1Call): void {
    if (this.#call === call) {
      this.#forget();
      this.close();
    }
  }

  close(): void {
    this.socket.destroy();
  }

  #requestWritten(): void {
    this.#requestDone = true;
    const timeoutMs = this.#owner.limits.responseHeaderTimeoutMs;
    if (timeoutMs > 0 && this.#state === states.head) {
      this.#headerTimer = setTimeout(
        () => this.#fail(new Error(`no response in ${timeoutMs} ms`), true),
        timeoutMs,
      );
    }
  }

  #sendBody(): void {
    clearTimeout(this.#continueTimer);
    this.#continueTimer = undefined;
    const call = this.#call;
    const body = call?.body;
    if (
      call === undefined ||
      body === undefined ||
      body instanceof Uint8Array ||
      this.#writer !== undefined
    ) {
      return;
    }
    const sink = new H1BodySink(this.socket, call.request, (error) => this.#fail(error));
    this.#writer = new BodyWriter(body, sink, (error) => {
      const fault = error ?? sink.shortage;
      if (fault !== undefined) {
        this.#fail(fault);
        return;
      }
      sink.end();
      this.#requestWritten();
    });
  }

  readonly #onData = (bytes: Buffer): void => this.#forCall(this.#take, bytes);

  /**
   * Handles data of the socket in the async context of the client's request. An exception of the receiver fails only
   * this call and this connection.
   */
  #forCall<Argument>(run: (argument: Argument) => void, argument: Argument): void {
    const exchange = this.#call?.request.exchange;
    try {
      if (exchange === undefined) {
        run(argument);
      } else {
        runFor(exchange, run, argument);
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  readonly #take = (bytes: Buffer): void => {
    let rest: Buffer = bytes;
    while (rest.length > 0) {
      switch (this.#state) {
        case states.head:
          rest = this.#takeHead(rest);
          break;
        case states.body:
          rest = this.#takeBody(rest);
          break;
        case states.idle:
          // Data that no call expects has no known meaning.
          this.close();
          return;
        default:
          return;
      }
    }
    if (this.#state === states.body) {
      this.#call?.receiver.handedOver?.();
    }
  };

  /** Reads the head. @returns the bytes that follow the head */
  #takeHead(bytes: Buffer): Buffer {
    const { maxHeaderBytes } = this.#owner.limits;
    const partial = this.#partial;
    const all = partial.length === 0 ? bytes : Buffer.concat([partial, bytes]);
    const from = Math.max(0, partial.length - 3);
    let end = all.indexOf(headEnd, from) + 2;
    let body = end + 2;
    if (end === 1) {
      ({ end, body } = legacyHeadEnd(all, from) ?? { end: 0, body: 0 });
    }
    if ((end === 0 ? all.length : end - 2) > maxHeaderBytes) {
      this.#fail(new Error(`the response head is longer than the limit of ${maxHeaderBytes} bytes`));
      return noBytes;
    }
    const call = this.#call;
    if (end === 0 || call === undefined) {
      // Bytes that cannot begin a response are refused immediately.
      if (all.length >= 5 && all.toString("latin1", 0, 5) !== "HTTP/") {
        this.#fail(new Error("the answer is not HTTP"));
      }
      this.#partial = partial.length === 0 ? Buffer.from(all) : all;
      return noBytes;
    }
    this.#partial = noBytes;
    return this.#readHead(all, end, body, call);
  }

  /**
   * @param end offset after the last line of the head
   * @param body offset after the empty line
   * @returns the bytes after the head
   */
  #readHead(all: Buffer, end: number, body: number, call: H1Call): Buffer {
    let head: ResponseHead;
    try {
      head = this.#owner.heads.read(all.toString("latin1", 0, end), call.request.method);
    } catch (error) {
      const legacy = legacyHeadEnd(all);
      if (legacy !== undefined && legacy.end < end) {
        // The head's lines end with LF, and the CR LF CR LF that was found is part of the body.
        return this.#readHead(all, legacy.end, legacy.body, call);
      }
      this.#fail(error as Error);
      return noBytes;
    }
    const rest = all.subarray(body);
    return head.status < 200 ? this.#takeInterim(head, call, rest) : this.#begin(head, call, rest);
  }

  #takeInterim(head: ResponseHead, call: H1Call, rest: Buffer): Buffer {
    if (head.status === 101) {
      this.#switch(head, call, rest);
      return noBytes;
    }
    this.#interims++;
    if (this.#interims > maxInterims) {
      this.#fail(new Error(`more than ${maxInterims} interim responses`));
      return noBytes;
    }
    if (head.status === 100 && this.#continueTimer !== undefined) {
      this.#sendBody(); // the response to `Expect`
    } else {
      call.receiver.interim(head.status, head.headers);
    }
    return rest;
  }

  #switch(head: ResponseHead, call: H1Call, rest: Buffer): void {
    if (call.request.upgrade === "" || head.upgrade.toLowerCase() !== call.request.upgrade.toLowerCase()) {
      this.#fail(
        new Error(
          `switched to ${JSON.stringify(head.upgrade.slice(0, 80))}, asked for ${JSON.stringify(call.request.upgrade)}`,
        ),
      );
      return;
    }
    const { socket } = this;
    this.#clearTimers();
    this.#forget();
    this.#state = states.detached;
    socket.pause();
    socket.off("data", this.#onData);
    socket.off("end", this.#onEnd);
    socket.off("error", this.#onError);
    socket.off("close", this.#onClose);
    socket.off("timeout", this.#onTimeout);
    socket.setTimeout(0);
    this.#owner.connectionClosed(this);
    call.receiver.switched(head.status, head.headers, socket, rest);
  }

  #begin(head: ResponseHead, call: H1Call, rest: Buffer): Buffer {
    this.#clearTimers();
    this.#head = head;
    this.#state = states.body;
    this.#left = head.length;
    this.#trailers = noTrailers;
    if (head.framing === bodyFraming.chunked) {
      this.#trailers = [];
      this.#decoder = new ChunkedDecoder(
        (data) => this.#handOn(data),
        (name, value) => this.#trailers.push(name, value),
      );
    }
    call.receiver.head(head.status, head.headers, head.version, true);
    if (head.framing === bodyFraming.none) {
      this.#complete(rest.length > 0);
      return noBytes;
    }
    return rest;
  }

  #takeBody(bytes: Buffer): Buffer {
    switch (this.#head?.framing) {
      case bodyFraming.length: {
        const part = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
        this.#left -= part.length;
        this.#handOn(part);
        if (this.#left === 0) {
          this.#complete(part.length < bytes.length);
        }
        return noBytes;
      }
      case bodyFraming.chunked: {
        const decoder = this.#decoder as ChunkedDecoder;
        let used: number;
        try {
          used = decoder.push(bytes);
        } catch (error) {
          this.#fail(faultOfUpstream(error));
          return noBytes;
        }
        if (decoder.done) {
          this.#complete(used < bytes.length);
        }
        return noBytes;
      }
      default:
        this.#handOn(bytes);
        return noBytes;
    }
  }

  #handOn(data: Buffer): void {
    const call = this.#call;
    if (call !== undefined) {
      if (!call.receiver.data(data) && this.#call === call) {
        this.#paused = true;
        this.socket.pause();
      }
      this.#kept ||= call.receiver.keepsChunk !== false;
    }
  }

  /** Called when the response is complete. @param more true when unexpected bytes followed */
  #complete(more: boolean): void {
    const call = this.#call;
    if (call === undefined || this.#state !== states.body) {
      return;
    }
    const reusable =
      !more &&
      this.#requestDone &&
      !hasFailedWrite(this.socket) &&
      this.#head?.keepAlive === true &&
      call.request.upgrade === "";
    const trailers = this.#trailers;
    this.#forget();
    if (reusable) {
      this.#state = states.idle;
      this.#isReused = true;
      // The client has not read all data yet, but the connection need not wait for the client.
      if (this.#paused) {
        this.#kept = true;
        this.#paused = false;
        this.socket.resume();
      }
      this.#buffer?.rest();
      if (this.socket.timeout) {
        this.socket.setTimeout(0);
      }
      this.#owner.connectionFree(this);
    } else {
      this.close();
    }
    call.receiver.end(trailers);
  }

  readonly #onEnd = (): void => this.#forCall(this.#ended, undefined);

  readonly #ended = (): void => {
    if (this.#state === states.body && this.#head?.framing === bodyFraming.untilClose) {
      this.#complete(false);
    } else {
      this.#lost(new Error("the upstream closed the connection"));
    }
  };

  readonly #onError = (error: Error): void => this.#forCall(this.#lost, error);

  readonly #onClose = (): void => {
    this.#buffer?.close();
    this.#forCall(this.#lost, new Error("the connection was closed"));
  };

  readonly #onTimeout = (): void => {
    const late = new Error(`nothing moved for ${this.socket.timeout} ms`);
    this.#forCall((error) => this.#fail(error, true), late);
  };

  /** Called when the upstream has closed. On a reused connection, the upstream may not have seen the call. */
  readonly #lost = (error: Error): void => {
    const call = this.#call;
    const mayMoveOn =
      this.#isReused &&
      this.#state === states.head &&
      this.#interims === 0 &&
      this.#partial.length === 0 &&
      call !== undefined &&
      isReplayable(call.request);
    if (mayMoveOn) {
      this.#forget();
    }
    this.#fail(error);
    if (mayMoveOn) {
      this.#owner.sendAgain(call);
    }
  };

  /** Closes the connection, and fails its call. */
  #fail(error: Error, timedOut = false): void {
    const call = this.#call;
    const stage: CallStage = this.#state === states.body ? "response" : "sent";
    if (this.#state !== states.closed && this.#state !== states.detached) {
      this.#forget();
      this.#state = states.closed;
      this.close();
      this.#owner.connectionClosed(this);
      call?.receiver.failed(error, stage, timedOut);
    }
  }

  #clearTimers(): void {
    if (this.#continueTimer !== undefined) {
      clearTimeout(this.#continueTimer);
      this.#continueTimer = undefined;
    }
    if (this.#headerTimer !== undefined) {
      clearTimeout(this.#headerTimer);
      this.#headerTimer = undefined;
    }
  }

  /** Detaches the call from the connection. */
  #forget(): void {
    this.#clearTimers();
    this.#writer?.stop();
    this.#writer = undefined;
    this.#decoder = undefined;
    if (this.#call !== undefined) {
      this.#call.connection = undefined;
      this.#call = undefined;
    }
  }
}
