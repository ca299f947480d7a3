import type { Duplex } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import { getHeader, type HeaderList } from "http-engine/header-list";
import { isUnbuffered } from "http-engine/unbuffered-response";
import { ServerError } from "server-core/errors";
import type { ResponseRule } from "../intercept/response-rule.ts";
import { PacedWriter } from "./paced-writer.ts";
import { ProxyFailure } from "./proxy-error.ts";
import {
  addSwitchHeaders,
  copyResponseHeaders,
  dropResponseHeaders,
  forwardedTrailers,
} from "./proxy-headers.ts";
import type { DialAddress } from "./transport/dial-address.ts";
import type {
  CallStage,
  ResponseReceiver,
  Transport,
  UpstreamCall,
  UpstreamRequest,
} from "./transport/transport.ts";
import type { TunnelSet } from "./tunnel/tunnel-set.ts";
import type { Upstream } from "./upstream.ts";

/**
 * The decision about a response, made from its head.
 * - `relay`: the response is sent to the client, with this status
 * - `retry`: the response is dropped and the attempt fails, so that a new attempt may follow
 * - `routes`: the response waits until the routes of the rule decide
 */
export type HeadDecision =
  | { readonly kind: "relay"; readonly status: number }
  | { readonly kind: "retry" }
  | { readonly kind: "routes"; readonly rule: ResponseRule };

/** Receives the events of one attempt's response and makes the decisions. */
export interface RelayPlan {
  readonly exchange: Exchange;
  /** Upstream whose running requests are counted. */
  readonly upstream: Upstream;
  /** Takes over the connection when the protocol switches. */
  readonly tunnels: TunnelSet;
  /** Bytes of a response that are buffered before it is sent; 0: the response is streamed. */
  readonly bufferBytes: number;
  /**
   * Flush interval: maximum number of milliseconds that response bytes wait for more bytes; 0: bytes are sent
   * immediately.
   */
  readonly flushMs: number;
  /** Called with the response head. @param headers without hop-by-hop fields. A throw fails the request */
  decide(status: number, headers: HeaderList): HeadDecision;
  /** Changes the fields for the client. @returns true when the fields may have changed */
  changeHeaders(status: number, headers: HeaderList): boolean;
  /** Called when the upstream is finished, just before the client's response ends. Not called after a failure. */
  completed(status: number): void;
  /**
   * Called at most once: when the response is sent, when the head requires a new attempt, or when routes take over the
   * response.
   */
  ended(result: RelayResult): void;
  /** @param error ProxyFailure with the stage of the failure; ServerError CLIENT_GONE; an error of the transport */
  failed(error: Error): void;
}

/** A response whose head has arrived, and about which routes decide. */
export interface HeldResponse {
  readonly rule: ResponseRule;
  readonly status: number;
  readonly headers: HeaderList;
  /** Sends the response, with the header fields that handlers set. Resolves when the whole response is sent. */
  send(status: number): Promise<void>;
  /** Drops the response. */
  drop(): void;
}

/**
 * The result of a successful attempt.
 * - `sent`: the client's stream has the whole response, or a tunnel is open
 * - `retry`: the head requires a new attempt, and the call was aborted
 * - a held response: routes decide about it
 */
export type RelayResult = "sent" | "retry" | HeldResponse;

/**
 * Streams one response to the client, with back pressure in both directions.
 * | Step | Caller | State afterwards |
 * |---|---|---|
 * | `run` | the attempt | waits for a connection (`dial`) |
 * | `sent` | the transport | the upstream may have seen the request (`sent`) |
 * | `head` | the transport | relays, holds or drops (`response`) |
 * | `data`, `end` | the transport | settled after `end` |
 * | `switched` | the transport | settled; the tunnel owns both sockets |
 * | `failed` | the transport | settled; the plan is notified once |
 * | the client disconnects | the exchange | settled; the call is aborted |
 */
export class Relay implements ResponseReceiver {
  /** Decides about the response, and is notified of its end. */
  readonly #plan: RelayPlan;
  /** Promise that `send` of a held response returned; undefined until `send` is called. */
  #sent: PromiseWithResolvers<void> | undefined;
  /** The call to the upstream; undefined until it is started. */
  #call: UpstreamCall | undefined;
  /** Error of the transport while routes decided about the response. */
  #failure: Error | undefined;
  /** Stage of the call. It determines whether another attempt is allowed after a failure. */
  #stage: CallStage = "dial";
  /** Status for the client; 0 until the head is written. */
  #status = 0;
  /** Upstream fields that were copied to the response. */
  #copied: HeaderList | undefined;
  /** True once bytes of the body were passed to the exchange. */
  #bodyBegun = false;
  /** True while the client is slow. The transport pauses until the client has accepted all written bytes. */
  #waits = false;
  /** True once the result is reported, or about to be. Later events of the transport are then ignored. */
  #settled = false;
  /** Chunks that wait for the routes' decision, or for a full buffer. Undefined: nothing is held. */
  #held: Buffer[] | undefined;
  /** Total bytes of the held chunks. */
  #heldBytes = 0;
  /**
   * Maximum number of held bytes (`response_buffers`). 0 while routes decide: then each held chunk pauses the
   * transport.
   */
  #holdLimit = 0;
  /** Delays chunks for `flush_interval`; undefined without delay. */
  #paced: PacedWriter | undefined;
  /** Trailers of a response that ended while chunks were held; undefined before the end. */
  #ended: HeaderList | undefined;

  constructor(plan: RelayPlan) {
    this.#plan = plan;
  }

  /** Sends the request, and reports the result to the plan. */
  run(transport: Transport, dial: DialAddress, request: UpstreamRequest): void {
    const { exchange } = this.#plan;
    if (exchange.ended) {
      this.#reject(clientGone());
      return;
    }
    exchange.answersAlone = false;
    try {
      this.#call = transport.call(dial, request, this);
    } catch (error) {
      this.#settled = true;
      this.#reject(error as Error);
      return;
    }
    exchange.onEnd(() => this.#clientGone());
  }

  /** Called when the request is being sent: from now on the upstream may have acted on it. */
  sent(): void {
    this.#stage = "sent";
  }

  /**
   * Forwards interim responses, such as 102 and 103, immediately. A 100 without fields is dropped if the client sent
   * `Expect`.
   */
  interim(status: number, headers: HeaderList): void {
    if (status === 100 && headers.length === 0 && this.#plan.exchange.header("expect") !== "") {
      return; // this server sends its own 100 when the body is read
    }
    try {
      this.#plan.exchange.stream.writeInterim(status, headers);
    } catch (error) {
      this.#giveUp(error as Error);
    }
  }

  /** An exception of the plan fails the request, but is not blamed on the upstream. */
  head(status: number, headers: HeaderList, version: string, good = false): void {
    this.#stage = "response";
    let decision: HeadDecision;
    try {
      decision = this.#plan.decide(status, headers);
    } catch (error) {
      this.#giveUp(error as Error);
      return;
    }
    switch (decision.kind) {
      case "relay":
        this.#begin(decision.status, headers, version, good);
        break;
      case "retry":
        this.#settled = true;
        this.#call?.abort();
        this.#plan.ended("retry");
        break;
      default:
        this.#hold(decision.rule, status, headers, version);
    }
  }

  /**
   * Writes a chunk, holds it for `response_buffers`, or keeps it for routes. @returns false to make the transport wait
   * for `resume`
   */
  data(chunk: Buffer): boolean {
    if (this.#held !== undefined) {
      this.#held.push(chunk);
      this.#heldBytes += chunk.length;
      if (this.#heldBytes <= this.#holdLimit) {
        return true;
      }
      return this.#holdLimit > 0 ? this.#release() : false;
    }
    return this.#write(chunk);
  }

  /** False when the chunk's memory may be reused, because a plain socket sends the chunk before the next read. */
  get keepsChunk(): boolean {
    const { exchange } = this.#plan;
    const { socket } = exchange;
    return (
      this.#held !== undefined ||
      this.#paced !== undefined ||
      exchange.filtered ||
      !exchange.stream.version.startsWith("1") ||
      "encrypted" in socket ||
      (socket.writableLength > 0 && !this.#waits)
    );
  }

  /** Sends the held bytes, then ends the response. While routes decide, only the trailers are stored. */
  end(trailers: HeaderList): void {
    if (this.#held !== undefined && this.#holdLimit === 0) {
      this.#ended = trailers;
      return;
    }
    const { exchange } = this.#plan;
    this.#settled = true;
    try {
      if (trailers.length > 0) {
        exchange.addTrailers(forwardedTrailers(trailers));
      }
      for (const chunk of this.#held ?? []) {
        exchange.write(chunk);
      }
      const last = this.#paced?.end() ?? "";
      this.#plan.completed(this.#status);
      exchange.finish(last);
    } catch (error) {
      this.#reject(error as Error);
      return;
    }
    this.#resolve();
  }

  /** Hands both sockets to a tunnel. An error closes the upstream's socket. */
  switched(status: number, headers: HeaderList, socket: Duplex, head: Buffer): void {
    const { exchange, tunnels } = this.#plan;
    this.#settled = true;
    try {
      this.#plan.decide(status, headers);
      this.#plan.changeHeaders(status, headers);
      addSwitchHeaders(headers, exchange.responseHeaders);
      exchange.responseHeaders.unshift("Connection", "Upgrade", "Upgrade", exchange.stream.upgradeProtocol);
      tunnels.open(exchange, socket, head);
      this.#plan.completed(status);
    } catch (error) {
      socket.destroy();
      this.#reject(error as Error);
      return;
    }
    this.#resolve();
  }

  /**
   * Handles a failure of the transport. A failure after the client disconnected is the client's fault, not the
   * upstream's.
   */
  failed(error: Error, stage: CallStage, timedOut: boolean): void {
    if (this.#settled) {
      return;
    }
    if (this.#plan.exchange.socket.destroyed) {
      this.#clientGone(); // the client stopped its own upload: not a fault of the upstream
      return;
    }
    this.#settled = true;
    this.#sendRest();
    const failedAt = this.#stage === "response" ? "response" : stage;
    // An error of this server's own code (an unsendable request, a body over its limit) is not a failure of the
    // upstream.
    this.#reject(
      error instanceof ServerError ? error : new ProxyFailure(failedAt, this.#plan.upstream, error, timedOut),
    );
  }

  /** Writes the head, and decides how the body is sent: buffered up to a limit, delayed, or immediately. */
  #begin(status: number, headers: HeaderList, version: string, good: boolean): void {
    const { exchange, bufferBytes, flushMs } = this.#plan;
    this.#status = status;
    try {
      const changed = this.#plan.changeHeaders(status, headers);
      const from = copyResponseHeaders(headers, exchange, version);
      this.#copied = headers;
      if (getHeader(headers, "content-type") === undefined) {
        exchange.tellType();
      }
      exchange.writeHead(status, good && !changed ? from : undefined);
    } catch (error) {
      this.#giveUp(error as Error);
      return;
    }
    if (bufferBytes > 0) {
      this.#held = [];
      this.#holdLimit = bufferBytes;
    } else if (flushMs > 0 && mayWait(headers)) {
      this.#paced = new PacedWriter(flushMs, {
        write: (chunk) => this.#send(chunk),
        flush: () => this.#flush(),
      });
    }
  }

  /** A body that arrived with the head is sent together with it. A slow stream does not delay the head. */
  handedOver(): void {
    const waits = this.#held !== undefined || this.#paced !== undefined;
    if (this.#status !== 0 && !this.#bodyBegun && !waits) {
      this.#flush();
    }
  }

  #flush(): void {
    if (!this.#settled) {
      try {
        this.#plan.exchange.flush();
      } catch (error) {
        this.#giveUp(error as Error);
      }
    }
  }

  #write(chunk: Buffer): boolean {
    this.#bodyBegun = true;
    return this.#paced === undefined ? this.#send(chunk) : this.#paced.write(chunk);
  }

  /**
   * Writes a chunk. If the client is slow, the transport stops reading until the client has accepted all written bytes.
   */
  #send(chunk: Uint8Array): boolean {
    const { exchange } = this.#plan;
    let more: boolean;
    try {
      more = exchange.write(chunk);
    } catch (error) {
      this.#giveUp(error as Error);
      return false;
    }
    if (!more) {
      this.#waits = true;
      exchange.onceDrain(() => {
        this.#waits = false;
        this.#call?.resume();
      });
    }
    return more;
  }

  /** Sends the held bytes. @returns the same value as `data` */
  #release(): boolean {
    const chunks = this.#held ?? [];
    this.#held = undefined;
    let more = true;
    const { exchange } = this.#plan;
    this.#bodyBegun = true;
    try {
      for (const chunk of chunks) {
        more = exchange.write(chunk);
      }
    } catch (error) {
      this.#giveUp(error as Error);
      return false;
    }
    if (!more) {
      exchange.onceDrain(() => this.#call?.resume());
    }
    return more;
  }

  /**
   * Holds the response for routes. Chunks that arrive while routes decide are kept, and the transport is asked to
   * pause.
   */
  #hold(rule: ResponseRule, status: number, headers: HeaderList, version: string): void {
    this.#held = [];
    const held: HeldResponse = {
      rule,
      status,
      headers,
      send: (sentStatus) => {
        if (this.#failure !== undefined) {
          return Promise.reject(this.#failure);
        }
        const sent = Promise.withResolvers<void>();
        this.#sent = sent;
        this.#held = undefined;
        const chunks = this.#waiting;
        this.#begin(sentStatus, headers, version, false);
        if (!this.#settled) {
          this.#sendWaiting(chunks);
          this.handedOver();
        }
        return sent.promise;
      },
      drop: () => {
        if (!this.#settled) {
          this.#settled = true;
          this.#call?.abort();
        }
      },
    };
    this.#waiting = this.#held;
    this.#plan.ended(held);
  }

  /** Chunks of a held response, which `send` writes after the head. */
  #waiting: Buffer[] = [];

  /** Writes the kept chunks, then the end of the response if it has arrived; otherwise resumes the transport. */
  #sendWaiting(chunks: readonly Buffer[]): void {
    let more = true;
    for (const chunk of chunks) {
      more = this.data(chunk) && more;
    }
    if (this.#ended !== undefined) {
      this.end(this.#ended);
    } else if (more) {
      this.#call?.resume();
    }
  }

  /** Sends the received part of a broken response, as if nothing was held. */
  #sendRest(): void {
    const paced = this.#paced?.end();
    const rest = this.#holdLimit > 0 ? (this.#held ?? []) : paced?.length ? [paced] : [];
    const { exchange } = this.#plan;
    try {
      for (const chunk of rest) {
        exchange.write(chunk);
      }
      if (rest.length > 0) {
        exchange.flush();
      }
    } catch {
      // The caller then reports the failure, which ends the exchange.
    }
  }

  #clientGone(): void {
    if (!this.#settled) {
      this.#giveUp(clientGone());
    }
  }

  /** Ends everything because of an error on this side: the call is aborted, and the error is reported. */
  #giveUp(error: Error): void {
    if (this.#settled) {
      return;
    }
    this.#settled = true;
    this.#paced?.stop();
    this.#call?.abort();
    this.#reject(error);
  }

  /** Reports success to the plan, or to the routes that sent the held response. */
  #resolve(): void {
    if (this.#sent === undefined) {
      this.#plan.ended("sent");
    } else {
      this.#sent.resolve();
    }
  }

  /** Reports a failure. Upstream fields are removed from the response if the client has not seen them. */
  #reject(error: Error): void {
    this.#failure = error;
    if (this.#copied !== undefined && !this.#plan.exchange.headSent) {
      this.#plan.exchange.undoHead();
      dropResponseHeaders(this.#copied, this.#plan.exchange);
    }
    if (this.#sent === undefined) {
      this.#plan.failed(error);
    } else {
      this.#sent.reject(error);
    }
  }
}

/**
 * True when bytes of the response may be delayed. Streams must not be delayed. Source: Caddy 2.11
 */
function mayWait(headers: HeaderList): boolean {
  return getHeader(headers, "content-length") !== undefined && !isUnbuffered(headers);
}

/** Makes the error of a request whose client disconnected. This error is not counted as a failure of the upstream. */
function clientGone(): ServerError {
  return new ServerError("CLIENT_GONE", "the client closed the connection");
}
