import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2";
import { ServerError } from "server-core/errors";
import { runFor } from "server-core/threads/error-owner";
import { forwardedTrailers, keepEndToEnd } from "../../proxy-headers.ts";
import { BodyWriter } from "../body-writer.ts";
import { isReplayable } from "../replayable.ts";
import type { CallStage, ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";
import { type H2Connection, wasUnseen } from "./h2-connection.ts";
import { fieldsOf, h2RequestFields, plainFields } from "./h2-fields.ts";

const maxInterims = 32;

/** Takes back calls that the upstream did not look at. */
export interface H2CallOwner {
  /** @returns whether it will be sent again */
  sendAgain(call: H2Call): boolean;
}

/** One request as a stream of HTTP/2. */
export class H2Call implements UpstreamCall {
  readonly request: UpstreamRequest;
  readonly #receiver: ResponseReceiver;
  readonly #owner: H2CallOwner;
  #stream: ClientHttp2Stream | undefined;
  #writer: BodyWriter | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stage: CallStage = "dial";
  #interims = 0;
  #trailers: string[] = [];
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
  run(connection: H2Connection, scheme: string, headerTimeoutMs: number): void {
    const { body } = this.request;
    let stream: ClientHttp2Stream;
    try {
      const fields = h2RequestFields(this.request, scheme);
      // Only when the client announced trailers, because Node cannot end a stream that waits for missing
      // trailers.
      const waitForTrailers = body !== undefined && fields.trailer !== undefined;
      stream = connection.session.request(fields, { endStream: body === undefined, waitForTrailers });
    } catch (error) {
      // The session may be gone since it was chosen; fields that cannot be sent are no fault of the upstream.
      const code = (error as NodeJS.ErrnoException).code ?? "";
      if (/INVALID_HEADER|INVALID_HTTP_TOKEN|HEADER_SINGLE_VALUE|PSEUDOHEADER|INVALID_CHAR/.test(code)) {
        const text = `cannot be sent on: ${(error as Error).message}`;
        this.fail(new ServerError("HTTP_BAD_REQUEST", text, { cause: error }));
      } else {
        connection.runsOut = true;
        if (!/INVALID_SESSION|GOAWAY_SESSION|OUT_OF_STREAMS/.test(code) || !this.#sendAgain()) {
          this.fail(error as Error);
        }
      }
      return;
    }
    this.#stream = stream;
    // An exception of the receiver fails only this call.
    const { exchange } = this.request;
    const on = <Arguments extends unknown[]>(event: string, take: (...args: Arguments) => void) => {
      stream.on(event, (...args: unknown[]) => {
        try {
          if (exchange === undefined) {
            take(...(args as Arguments));
          } else {
            runFor(exchange, take, ...(args as Arguments));
          }
        } catch (error) {
          this.fail(error as Error);
        }
      });
    };
    on("response", (headers: IncomingHttpHeaders, flags: number, raw?: string[]) => {
      clearTimeout(this.#timer);
      this.#stage = "response";
      const fields = raw === undefined ? fieldsOf(headers) : plainFields(raw);
      this.#receiver.head(Number(headers[":status"] ?? 502), keepEndToEnd(fields), "2.0");
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0 && !this.#over) {
        // Told at once, so that head and end go on as one: gRPC knows a failure without a message by it.
        this.#answered(stream);
        return;
      }
      process.nextTick(() => this.#handedOver());
      on("data", (chunk: Buffer) => {
        if (!this.#over && !this.#receiver.data(chunk)) {
          stream.pause();
        }
      });
    });
    on("headers", (headers: IncomingHttpHeaders) => {
      this.#interims++;
      if (this.#interims > maxInterims) {
        this.fail(new Error(`more than ${maxInterims} interim responses`));
      } else {
        this.#receiver.interim(Number(headers[":status"]), keepEndToEnd(fieldsOf(headers)));
      }
    });
    stream.once("wantTrailers", () => this.#sendTrailers(stream));
    stream.on("trailers", (headers) => {
      this.#trailers = fieldsOf(headers);
    });
    on("end", () => {
      if (this.#stage === "response" && !this.#over) {
        this.#answered(stream);
      }
    });
    stream.on("error", (error) => this.#broken(connection, stream, error));
    stream.on("close", () =>
      this.#broken(connection, stream, new Error(`the stream was closed with code ${stream.rstCode}`)),
    );
    this.#stage = "sent";
    this.#receiver.sent();
    this.#sendBody(stream);
    if (headerTimeoutMs > 0) {
      this.#timer = setTimeout(
        () => this.fail(new Error(`no response in ${headerTimeoutMs} ms`), true),
        headerTimeoutMs,
      );
    }
  }

  resume(): void {
    this.#stream?.resume();
  }

  abort(): void {
    if (!this.#over) {
      this.#finish();
      this.#stream?.close(constants.NGHTTP2_CANCEL);
    }
  }

  /** There is no stream, or it is of no use any more. */
  fail(error: Error, timedOut = false): void {
    if (!this.#over) {
      this.#finish();
      this.#stream?.close(constants.NGHTTP2_CANCEL);
      this.#receiver.failed(error, this.#stage, timedOut);
    }
  }

  #handedOver(): void {
    if (!this.#over) {
      this.#receiver.handedOver?.();
    }
  }

  /** The response is complete. The upstream gets no more of an incomplete request. */
  #answered(stream: ClientHttp2Stream): void {
    this.#finish();
    if (!stream.writableEnded) {
      stream.close(constants.NGHTTP2_NO_ERROR);
    }
    this.#receiver.end(this.#trailers);
  }

  #broken(connection: H2Connection, stream: ClientHttp2Stream, error: Error): void {
    if (this.#over || stream !== this.#stream) {
      return;
    }
    if (this.#stage === "sent" && this.#interims === 0 && wasUnseen(connection, stream)) {
      this.#stage = "dial";
      // A connection that goes away with an error over its first stream would do so again.
      const isHopeless = stream.id === 1 && (connection.goneAway?.code ?? constants.NGHTTP2_NO_ERROR) !== 0;
      if (!isHopeless && this.#sendAgain()) {
        return;
      }
    } else if (this.#wasLost(connection, stream) && this.#sendAgain()) {
      return;
    }
    this.fail(error);
  }

  /** Whether a connection that had served before broke off under a request that may be sent twice, as kept ones do. */
  #wasLost({ session }: H2Connection, { id = 0 }: ClientHttp2Stream): boolean {
    return (
      id > 1 &&
      session.destroyed &&
      this.#stage === "sent" &&
      this.#interims === 0 &&
      this.repeats === 0 &&
      isReplayable(this.request)
    );
  }

  /** Gives it back to its owner, as if it was never sent. @returns false when it cannot be sent again */
  #sendAgain(): boolean {
    if (this.#over || this.#writer?.begun === true) {
      return false;
    }
    clearTimeout(this.#timer);
    this.#writer?.stop();
    this.#writer = undefined;
    this.#stream = undefined;
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

  #sendTrailers(stream: ClientHttp2Stream): void {
    const trailers = forwardedTrailers(this.request.exchange?.requestTrailers ?? []);
    const fields: Record<string, string> = {};
    for (let index = 0; index < trailers.length; index += 2) {
      const name = (trailers[index] as string).toLowerCase();
      fields[name] =
        fields[name] === undefined
          ? (trailers[index + 1] as string)
          : `${fields[name]}, ${trailers[index + 1]}`;
    }
    try {
      stream.sendTrailers(fields);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  #sendBody(stream: ClientHttp2Stream): void {
    const { body } = this.request;
    if (body === undefined || this.#over) {
      return;
    }
    if (body instanceof Uint8Array) {
      stream.end(body);
      return;
    }
    const sink = {
      write: (chunk: Buffer) => stream.write(chunk),
      onceDrain: (callback: () => void) => stream.once("drain", callback),
    };
    this.#writer = new BodyWriter(body, sink, (error) => {
      if (error === undefined) {
        stream.end();
      } else {
        this.fail(error);
      }
    });
  }

  #finish(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#writer?.stop();
    this.#stream?.on("error", () => {});
    this.#stream?.resume();
    this.onOver?.();
    this.onOver = undefined;
  }
}
