import type { Dispatcher } from "undici";
import { ServerError } from "../../../core/errors.ts";
import type { Exchange } from "../../../http/exchange.ts";
import type { HeaderList } from "../../../http/header-list.ts";
import { isDialError, ProxyFailure, type ProxyStage } from "./proxy-error.ts";
import { copyResponseHeaders } from "./proxy-headers.ts";
import type { Upstream } from "./upstream.ts";

/** One try with one upstream. */
export interface RoundTripOptions {
  readonly exchange: Exchange;
  readonly upstream: Upstream;
  readonly headers: HeaderList;
  /** Called with the status when the response's head is here, before it is sent on. */
  readonly onStatus: (status: number) => void;
  /** Called when the upstream's part is over, just before the client's response ends. Not called after a failure. */
  readonly onComplete: () => void;
}

/** Methods that may be sent again when a kept connection turns out to be dead. */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Whether a request can be sent again after its bytes may have reached an upstream. */
export function isRepeatable(exchange: Exchange): boolean {
  return safeMethods.has(exchange.method) && !exchange.hasBody;
}

/** Streams one response from undici to the client, with back pressure both ways. */
class ResponseRelay implements Dispatcher.DispatchHandler {
  readonly #options: RoundTripOptions;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #stage: ProxyStage = "dial";
  #bodyBegun = false;
  #settled = false;

  constructor(options: RoundTripOptions, resolve: () => void, reject: (error: Error) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    options.exchange.onEnd(() => this.#clientGone());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#stage = "sent";
    if (this.#settled) {
      controller.abort(new Error("client is gone"));
    }
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) {
      return; // interim responses are not passed on
    }
    this.#stage = "response";
    const { exchange, onStatus } = this.#options;
    onStatus(status);
    copyResponseHeaders(rawHeaders(controller), exchange);
    exchange.writeHead(status);
    // A body that came along goes out with the head; a stream that takes its time does not hold the head back.
    process.nextTick(() => {
      if (!this.#bodyBegun && !this.#settled) {
        exchange.flush();
      }
    });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { exchange } = this.#options;
    this.#bodyBegun = true;
    if (!exchange.write(chunk)) {
      controller.pause();
      exchange.onceDrain(() => controller.resume());
    }
  }

  onResponseEnd(
    _controller: Dispatcher.DispatchController,
    trailers: Record<string, string | string[] | undefined>,
  ): void {
    const { exchange } = this.#options;
    const entries = Object.entries(trailers ?? {}).filter((entry) => entry[1] !== undefined);
    if (entries.length > 0) {
      exchange.stream.addTrailers(entries.flatMap(([name, value]) => [name, String(value)]));
    }
    this.#settled = true;
    this.#options.onComplete();
    exchange.finish();
    this.#resolve();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#settled) {
      return;
    }
    if (this.#options.exchange.socket.destroyed) {
      this.#clientGone(); // it broke off its own upload: not the upstream's fault
      return;
    }
    this.#settled = true;
    const stage = isDialError(error) ? "dial" : this.#stage;
    // What our own code threw while the response began (a header that cannot be sent) is not the upstream's fault.
    const refusal = error instanceof ServerError ? error : refusalOf(error);
    this.#reject(refusal ?? new ProxyFailure(stage, this.#options.upstream, error));
  }

  #clientGone(): void {
    if (!this.#settled) {
      this.#settled = true;
      this.#controller?.abort(new Error("client is gone"));
      this.#reject(new ServerError("CLIENT_GONE", "the client closed the connection"));
    }
  }
}

/** undici sends no request that it finds malformed: `*` as target, a newline that a placeholder put into a header. */
function refusalOf(error: Error): ServerError | undefined {
  const code = "code" in error ? error.code : undefined;
  return code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED"
    ? new ServerError("HTTP_BAD_REQUEST", `cannot be sent on: ${error.message}`, { cause: error })
    : undefined;
}

function rawHeaders(controller: Dispatcher.DispatchController): string[] {
  const raw = controller.rawHeaders as readonly (Buffer | string)[] | null | undefined;
  return (raw ?? []).map((each) => (typeof each === "string" ? each : each.toString("latin1")));
}

/**
 * Sends a request to an upstream and its response to the client.
 * @throws ProxyFailure with the stage it failed at; ServerError CLIENT_GONE
 */
export function roundTrip(options: RoundTripOptions): Promise<void> {
  const { exchange, upstream, headers } = options;
  return new Promise((resolve, reject) => {
    const relay = new ResponseRelay(options, resolve, reject);
    try {
      upstream.pool.dispatch(
        {
          method: exchange.method as Dispatcher.HttpMethod,
          path: exchange.target,
          headers,
          body: exchange.hasBody ? exchange.body : null,
        },
        relay,
      );
    } catch (error) {
      relay.onResponseError(undefined, error as Error);
    }
  });
}
