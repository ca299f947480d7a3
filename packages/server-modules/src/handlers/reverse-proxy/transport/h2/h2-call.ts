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

/** Maximum number of interim responses for one call. A call with more fails. */
const maxInterims = 32;

/** Takes back calls that the upstream did not process. */
export interface H2CallOwner {
  /** @returns true when the call will be sent again */
  sendAgain(call: H2Call): boolean;
}

/**
 * One request as an HTTP/2 stream.
 * | Stage | Repeated when |
 * |---|---|
 * | `dial` | never: the pool fails the call, or starts it later |
 * | `sent`, the upstream refused the stream unprocessed | no byte of the body was read |
 * | `sent`, the connection broke | the request is replayable, not repeated yet, and not the connection's first stream |
 * | `response` | never |
 */
export class H2Call implements UpstreamCall, ResponseListener {
  /** The request, kept for a repetition. */
  readonly request: UpstreamRequest;
  readonly #receiver: ResponseReceiver;
  readonly #owner: H2CallOwner;
  /** Connection that carries the call; undefined while it waits. */
  #connection: ClientConnection | undefined;
  /** Stream of the call; undefined while it waits. */
  #stream: ClientStream | undefined;
  /** Sends a streamed body. */
  #writer: BodyWriter | undefined;
  /** Timer of the limit for the head, or of the pause before a repetition. */
  #timer: NodeJS.Timeout | undefined;
  /** Stage of the call, reported with a failure. */
  #stage: CallStage = "dial";
  /** Interim responses that arrived until now. Any interim response proves that the upstream saw the request. */
  #interims = 0;
  /** True after the end. The receiver gets no more events. */
  #over = false;
  /** Start of the wait for a connection, on the clock of `performance.now()`. */
  waitingSince = 0;
  /** Called once, when the call is over. */
  onOver: (() => void) | undefined;
  /** How often the call was repeated. */
  repeats = 0;

  constructor(request: UpstreamRequest, receiver: ResponseReceiver, owner: H2CallOwner) {
    this.request = request;
    this.#owner = owner;
    this.#receiver = receiver;
  }

  get aborted(): boolean {
    return this.#over;
  }

  /** @param headerTimeoutMs limit of the wait for the response head, in milliseconds; 0 for no limit */
  run(connection: ClientConnection, scheme: string, headerTimeoutMs: number): void {
    let stream: ClientStream | undefined;
    try {
      stream = connection.request(h2RequestFields(this.request, scheme), this);
    } catch (error) {
      this.fail(error as Error); // fields that cannot be sent: not a fault of the upstream
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

  /** Enlarges the stream's window, because the receiver can accept more data. */
  resume(): void {
    this.#stream?.resume();
  }

  abort(): void {
    if (!this.#over) {
      this.#finish();
    }
  }

  /** Ends the call with an error. The stream does not exist, or is useless. */
  fail(error: Error, timedOut = false): void {
    if (!this.#over) {
      const stage = this.#stage;
      this.#finish();
      this.#receiver.failed(error, stage, timedOut);
    }
  }

  // Called by the stream

  /** Forwards 1xx responses; too many fail the call. */
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

  /** Called when the stream ended without a complete response. */
  failed(error: StreamError): void {
    this.#forCall(() => this.#broken(error));
  }

  /** Runs work in the async context of the client's request. An exception of the receiver fails only this call. */
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

  /** Decides between a repetition and a failure. */
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

  /** Handles a request that the upstream did not process: repeats it, or fails it. */
  #lost(error: Error): void {
    this.#stage = "dial";
    // A connection that ended with an error on its first stream would end in the same way again.
    const isHopeless = this.#stream?.id === 1 && (this.#connection?.goAwayCode ?? 0) !== 0;
    if (isHopeless || !this.#sendAgain()) {
      this.fail(error);
    }
  }

  /**
   * True when a connection that had served earlier calls broke under a repeatable request, as often happens to kept
   * connections.
   */
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

  /** Returns the call to its owner, as if it had never been sent. @returns false when the call cannot be repeated */
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

  /**
   * Calls back after a pause, unless the call is abandoned before. @param pauseMs milliseconds; 0: the callback is
   * called immediately
   */
  after(pauseMs: number, callback: () => void): void {
    if (pauseMs === 0) {
      callback();
    } else {
      this.#timer = setTimeout(callback, pauseMs);
    }
  }

  /** Sends the body, followed by the client's trailers. */
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

  /** Ends the stream with the client's trailers. Invalid trailers fail the call. */
  #sendEnd(stream: ClientStream): void {
    const trailers = forwardedTrailers(this.request.exchange?.requestTrailers ?? []);
    const problem = fieldsProblem(trailers);
    if (problem === "") {
      stream.end(trailers);
    } else {
      this.fail(new Error(`trailers: ${problem}`));
    }
  }

  /** Stops all callbacks. The stream is reset if it is still open. */
  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#writer?.stop();
    this.#stream?.cancel();
    this.onOver?.();
    this.onOver = undefined;
  }
}
