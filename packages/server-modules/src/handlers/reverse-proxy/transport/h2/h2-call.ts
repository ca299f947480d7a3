import type { HeaderList } from "http-engine/header-list";
import type {
  ClientConnection,
  ClientStream,
  ResponseListener,
  StreamError,
} from "http-protocols/http2-client";
import { keepOwner, runFor } from "server-core/threads/error-owner";
import { forwardedTrailers, keepEndToEnd } from "../../proxy-headers.ts";
import { BodyWriter } from "../body-writer.ts";
import { isReplayable } from "../replayable.ts";
import type { CallStage, ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";
import { fieldsProblem, h2RequestFields } from "./h2-fields.ts";

/** Interim responses of one call; more are a flood, and fail it. */
const maxInterims = 32;

/** Takes back calls that the upstream did not look at. */
export interface H2CallOwner {
  /** @returns true when the call will be sent again */
  sendAgain(call: H2Call): boolean;
}

/**
 * One request as a stream of HTTP/2.
 * | Stage | Sent again when |
 * |---|---|
 * | `dial` | never by itself: the pool fails it, or starts it later |
 * | `sent`, the upstream refused the stream unseen | nothing of the body was taken; see the pause of {@link H2CallOwner} |
 * | `sent`, the connection broke | the request is replayable, it was not the first stream, and it was not repeated yet |
 * | `response` | never |
 */
export class H2Call implements UpstreamCall, ResponseListener {
  /** The request, which a repeat sends again. */
  readonly request: UpstreamRequest;
  readonly #receiver: ResponseReceiver;
  readonly #owner: H2CallOwner;
  /** Connection that carries it; undefined while it waits. */
  #connection: ClientConnection | undefined;
  /** Its stream; undefined while it waits. */
  #stream: ClientStream | undefined;
  /** Sends a body that is a stream. */
  #writer: BodyWriter | undefined;
  /** Limit until the head, or the pause before a repeat. */
  #timer: NodeJS.Timeout | undefined;
  /** How far it came, for the failure. */
  #stage: CallStage = "dial";
  /** Number of interim responses. One proves that the upstream saw the request. */
  #interims = 0;
  /** The receiver hears nothing more. */
  #over = false;
  /** When it began to wait for a connection, as of `performance.now()`. */
  waitingSince = 0;
  /** Called once, when it is over. */
  onOver: (() => void) | undefined;
  /** How often it was sent again. */
  repeats = 0;

  constructor(request: UpstreamRequest, receiver: ResponseReceiver, owner: H2CallOwner) {
    this.request = request;
    this.#owner = owner;
    this.#receiver = receiver;
  }

  get aborted(): boolean {
    return this.#over;
  }

  /** @param headerTimeoutMs time for the response's head; 0 for any */
  run(connection: ClientConnection, scheme: string, headerTimeoutMs: number): void {
    let stream: ClientStream | undefined;
    try {
      stream = connection.request(h2RequestFields(this.request, scheme), this);
    } catch (error) {
      this.fail(error as Error); // of fields that cannot be sent, which is no fault of the upstream
      return;
    }
    if (stream === undefined) {
      this.#lost(new Error("the connection takes no requests"));
      return;
    }
    this.#connection = connection;
    this.#stream = stream;
    this.#stage = "sent";
    this.#receiver.sent();
    this.#sendBody(stream);
    if (headerTimeoutMs > 0 && !this.#over) {
      this.#timer = setTimeout(
        () => this.fail(new Error(`no response in ${headerTimeoutMs} ms`), true),
        headerTimeoutMs,
      );
    }
  }

  /** The receiver has room again: the stream's window opens. */
  resume(): void {
    this.#stream?.resume();
  }

  abort(): void {
    if (!this.#over) {
      this.#finish();
    }
  }

  /** There is no stream, or it is of no use any more. */
  fail(error: Error, timedOut = false): void {
    if (!this.#over) {
      const stage = this.#stage;
      this.#finish();
      this.#receiver.failed(error, stage, timedOut);
    }
  }

  // Called by the stream

  /** Hands 1xx on; too many fail the call. */
  interim(status: number, headers: HeaderList): void {
    this.#forCall(() => {
      this.#interims++;
      if (this.#interims > maxInterims) {
        this.fail(new Error(`more than ${maxInterims} interim responses`));
      } else {
        this.#receiver.interim(status, keepEndToEnd(headers));
      }
    });
  }

  head(status: number, headers: HeaderList, endsStream: boolean): void {
    clearTimeout(this.#timer);
    this.#stage = "response";
    this.#forCall(() => {
      this.#receiver.head(status, keepEndToEnd(headers), "2.0");
      if (!endsStream) {
        process.nextTick(() => this.#handedOver());
      }
    });
  }

  data(chunk: Buffer): boolean {
    let wantsMore = true;
    this.#forCall(() => {
      wantsMore = this.#over || this.#receiver.data(chunk);
    });
    return wantsMore;
  }

  end(trailers: HeaderList): void {
    this.#forCall(() => {
      if (!this.#over) {
        this.#finish();
        this.#receiver.end(trailers);
      }
    });
  }

  /** The stream ended without a whole response. */
  failed(error: StreamError): void {
    this.#forCall(() => this.#broken(error));
  }

  /** Runs work of the client's request. An exception of the receiver fails only this call. */
  #forCall(work: () => void): void {
    const { exchange } = this.request;
    try {
      if (exchange === undefined) {
        work();
      } else {
        runFor(exchange, work);
      }
    } catch (error) {
      this.fail(error as Error);
    }
  }

  #handedOver(): void {
    if (!this.#over) {
      this.#receiver.handedOver?.();
    }
  }

  /** Decides between a repeat and a failure. */
  #broken(error: StreamError): void {
    if (this.#over) {
      return;
    }
    if (error.isUnseen && this.#stage === "sent" && this.#interims === 0) {
      this.#lost(error);
    } else if (!this.#wasLost(error) || !this.#sendAgain()) {
      this.fail(error);
    }
  }

  /** The upstream did not look at the request. */
  #lost(error: Error): void {
    this.#stage = "dial";
    // A connection that goes away with an error over its first stream would do so again.
    const isHopeless = this.#stream?.id === 1 && (this.#connection?.goAwayCode ?? 0) !== 0;
    if (isHopeless || !this.#sendAgain()) {
      this.fail(error);
    }
  }

  /** Whether a connection that had served before broke off under a request that may be sent twice, as kept ones do. */
  #wasLost({ isConnectionLost }: StreamError): boolean {
    return (
      isConnectionLost &&
      (this.#stream?.id ?? 0) > 1 &&
      this.#stage === "sent" &&
      this.#interims === 0 &&
      this.repeats === 0 &&
      isReplayable(this.request)
    );
  }

  /** Returns the call to its owner as if it was never sent. @returns false when it cannot be sent again */
  #sendAgain(): boolean {
    if (this.#over || this.#writer?.begun === true) {
      return false;
    }
    clearTimeout(this.#timer);
    this.#writer?.stop();
    this.#writer = undefined;
    this.#stream = undefined;
    this.#connection = undefined;
    this.#stage = "dial";
    const { onOver } = this;
    this.onOver = undefined;
    onOver?.();
    return this.#owner.sendAgain(this);
  }

  /** Calls back after a while, unless it is given up by then. @param pauseMs 0: now */
  after(pauseMs: number, callback: () => void): void {
    if (pauseMs === 0) {
      callback();
    } else {
      this.#timer = setTimeout(callback, pauseMs);
    }
  }

  /** Sends the body, and trailers of the client after it. */
  #sendBody(stream: ClientStream): void {
    const { body } = this.request;
    if (body === undefined || this.#over) {
      return;
    }
    if (body instanceof Uint8Array) {
      stream.write(body);
      stream.end();
      return;
    }
    const sink = {
      write: (chunk: Buffer) => stream.write(chunk),
      onceDrain: (callback: () => void) => stream.onceDrain(keepOwner(callback)),
    };
    this.#writer = new BodyWriter(body, sink, (error) => {
      if (error === undefined) {
        this.#sendEnd(stream);
      } else {
        this.fail(error);
      }
    });
  }

  /** Ends the stream with the client's trailers. Trailers that cannot be sent fail the call. */
  #sendEnd(stream: ClientStream): void {
    const trailers = forwardedTrailers(this.request.exchange?.requestTrailers ?? []);
    const problem = fieldsProblem(trailers);
    if (problem === "") {
      stream.end(trailers);
    } else {
      this.fail(new Error(`trailers: ${problem}`));
    }
  }

  /** No more callbacks. The upstream's stream is reset if it is still open. */
  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#writer?.stop();
    this.#stream?.cancel();
    this.onOver?.();
    this.onOver = undefined;
  }
}
