import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ConnectionSlots, SlotPlea, SlotUser } from "./connection-slots.ts";
import type { DialAddress } from "./dial-address.ts";
import type { H1Call } from "./h1/h1-call.ts";
import type { H1Limits } from "./h1/h1-limits.ts";
import { H1Pool } from "./h1/h1-pool.ts";
import { H2Pool } from "./h2/h2-pool.ts";
import type { IdleConnections } from "./idle-connections.ts";
import { ReadBuffer } from "./read-buffer.ts";
import type { SocketDialer } from "./socket-dialer.ts";
import type { ResponseReceiver, UpstreamCall, UpstreamRequest } from "./transport.ts";

/** Options shared by all groups of a transport. */
export interface UpstreamConnectionsOptions {
  /** Opens sockets. */
  readonly dialer: SocketDialer;
  /** Time limits and sizes of each connection. */
  readonly limits: H1Limits;
  /** True when connections are kept for further requests. */
  readonly keepAlive: boolean;
  /** Size of the read buffer in bytes; 0: the size adapts to the data. */
  readonly readBufferBytes: number;
  /** Milliseconds after which an idle connection is closed. */
  readonly idleTimeoutMs: number;
  /** Maximum number of idle connections that each thread keeps; further idle connections are closed. */
  readonly maxIdle: number;
  /** Count of idle connections to all upstreams, over all threads; undefined: not counted. */
  readonly idle: IdleConnections | undefined;
  /** True when HTTP/2 is offered over TLS; HTTP/1.1 is always offered too. */
  readonly h2: boolean;
  /** True for cleartext HTTP/2. */
  readonly h2c: boolean;
}

/** A call that waits for the negotiated protocol. */
interface Undecided {
  /** The caller's handle for the call. */
  readonly call: DeferredCall;
  readonly request: UpstreamRequest;
  readonly receiver: ResponseReceiver;
  /** Start of the wait, on the clock of `performance.now()`. */
  readonly since: number;
}

/**
 * The caller's handle for a call that waits for the protocol. It forwards `resume` and `abort` when the call has begun.
 */
class DeferredCall implements UpstreamCall {
  /** The call itself, once the protocol is known. */
  inner: UpstreamCall | undefined;
  /** True when the caller aborted before the protocol was known. */
  aborted = false;

  resume(): void {
    this.inner?.resume();
  }

  abort(): void {
    this.aborted = true;
    this.inner?.abort();
  }
}

/** Settings and limits of the connections to one upstream. */
interface ConnectionsParts {
  /** Dialer, limits and keep-alive. */
  readonly options: UpstreamConnectionsOptions;
  /** Slots for connections to this upstream; undefined: no limit. A call without a slot waits. */
  readonly slots: ConnectionSlots | undefined;
  /** Limit of idle connections to this upstream over all threads; undefined: `maxIdle` in each thread. */
  readonly idleHere: IdleConnections | undefined;
}

/**
 * All connections to one upstream: HTTP/1.1, HTTP/2, or over TLS the protocol that the upstream chooses.
 * | Connection | Protocol |
 * |---|---|
 * | without TLS | HTTP/1.1, or HTTP/2 with `h2c` in `versions` or in the address |
 * | TLS, neither `2` nor `h2c` in `versions` | HTTP/1.1 |
 * | TLS, in other cases | `h2` or `http/1.1`, chosen by the upstream at the first connection |
 * | an upgrade request | HTTP/1.1, on a new connection |
 */
export class UpstreamConnections implements SlotUser {
  readonly #dial: DialAddress;
  readonly #serverName: string;
  readonly #options: UpstreamConnectionsOptions;
  /** Slots for connections to this upstream; undefined: no limit. */
  readonly #slots: ConnectionSlots | undefined;
  /** Limit of idle connections to this upstream over all threads; undefined: no such limit. */
  readonly #idleHere: IdleConnections | undefined;
  readonly #h1: H1Pool;
  readonly #h2: H2Pool;
  /** True for HTTP/2; undefined until the upstream has chosen. */
  #speaksH2: boolean | undefined;
  /** Calls that wait until the first connection's protocol is known. */
  #undecided: Undecided[] = [];
  /** True while the connection that decides the protocol is being opened. */
  #isDeciding = false;

  constructor(dial: DialAddress, serverName: string, { options, slots, idleHere }: ConnectionsParts) {
    this.#slots = slots;
    this.#idleHere = idleHere;
    slots?.add(this);
    this.#dial = dial;
    this.#serverName = serverName;
    this.#options = options;
    const secure = options.dialer.secure(dial);
    const { limits, keepAlive, idleTimeoutMs } = options;
    const idle = [options.idle, idleHere].filter((limit) => limit !== undefined);
    this.#h1 = new H1Pool({
      limits,
      dial: (request, done) => {
        // A connection for an upgrade is read as a stream, so it has no read buffer.
        const buffer = request.upgrade === "" ? new ReadBuffer(options.readBufferBytes) : undefined;
        return options.dialer.open({ dial, serverName, alpn: ["http/1.1"], buffer }, request, done);
      },
      keepAlive,
      idleTimeoutMs,
      maxIdle: idleHere === undefined ? options.maxIdle : Number.POSITIVE_INFINITY,
      idle,
      slots,
    });
    this.#h2 = new H2Pool({
      dial: (request, done) => options.dialer.open({ dial, serverName, alpn: ["h2"] }, request, done),
      scheme: secure ? "https" : "http",
      idleTimeoutMs,
      responseHeaderTimeoutMs: limits.responseHeaderTimeoutMs,
      maxHeaderBytes: limits.maxHeaderBytes,
      idle,
      slots,
    });
    if (!secure) {
      this.#speaksH2 = dial.h2c || options.h2c;
    } else if (!options.h2) {
      this.#speaksH2 = false;
    }
  }

  /** @throws ServerError HTTP_BAD_REQUEST */
  call(request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall {
    if (request.upgrade !== "" || this.#speaksH2 === false) {
      return this.#h1.call(request, receiver);
    }
    return this.#speaksH2 === true ? this.#h2.call(request, receiver) : this.#decide(request, receiver);
  }

  /** Closes idle connections, and releases the counters when the busy connections have ended. */
  close(): void {
    this.#h1.close();
    this.#h2.close();
    this.#idleHere?.close();
    this.#slots?.close();
  }

  /** Number of calls that wait for the negotiated protocol. */
  get waitingCount(): number {
    return this.#isDeciding ? 0 : this.#undecided.length;
  }

  get waitingSince(): number | undefined {
    return this.#isDeciding ? undefined : this.#undecided[0]?.since;
  }

  /** Returns 0: the pools close their idle connections themselves. */
  giveIdle(): number {
    return 0;
  }

  /** Opens the connection on which the upstream negotiates the protocol. */
  retry(): void {
    const [first] = this.#undecided;
    if (first === undefined || this.#isDeciding || (this.#slots !== undefined && !this.#slots.take())) {
      return;
    }
    this.#isDeciding = true;
    const target = { dial: this.#dial, serverName: this.#serverName, alpn: ["h2", "http/1.1"] };
    this.#options.dialer.open(target, first.request, (error, socket) => {
      this.#isDeciding = false;
      this.#decided(error, socket);
    });
  }

  /** Called when another thread waits for a connection. */
  asked(plea: SlotPlea): void {
    this.#slots?.asked(plea);
  }

  /** The first call opens a connection that negotiates the protocol; other calls wait for the result. */
  #decide(request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall {
    const call = new DeferredCall();
    this.#undecided.push({ call, request, receiver, since: performance.now() });
    this.retry();
    if (this.waitingCount > 0) {
      this.#slots?.wait(this);
    }
    return call;
  }

  /**
   * Called when the first connection is open, or has failed. If it failed, all waiting calls fail; otherwise the pool
   * of its protocol gets the socket.
   */
  #decided(error: Error | undefined, socket: Socket | undefined): void {
    const waiting = this.#undecided.splice(0);
    if (socket === undefined) {
      this.#slots?.free();
      for (const { call, receiver } of waiting) {
        if (!call.aborted) {
          receiver.failed(error ?? new Error("no connection"), "dial", false);
        }
      }
      return;
    }
    this.#speaksH2 = (socket as TLSSocket).alpnProtocol === "h2";
    if (this.#speaksH2) {
      this.#h2.adopt(socket);
    }
    waiting.forEach((each, index) => {
      this.#start(each, this.#speaksH2 || index > 0 ? undefined : (first) => this.#h1.adopt(socket, first));
    });
  }

  /** @param adopt sends the call over the open connection; undefined: the pool chooses a connection */
  #start({ call, request, receiver }: Undecided, adopt: ((first: H1Call) => void) | undefined): void {
    try {
      if (this.#speaksH2) {
        if (!call.aborted) {
          const inner = this.#h2.take(request, receiver);
          call.inner = inner;
          this.#h2.start(inner);
        }
      } else if (adopt !== undefined) {
        const inner = this.#h1.makeCall(request, receiver);
        inner.aborted = call.aborted;
        call.inner = inner;
        adopt(inner);
      } else if (!call.aborted) {
        call.inner = this.#h1.call(request, receiver);
      }
    } catch (error) {
      receiver.failed(error as Error, "dial", false);
    }
  }
}
