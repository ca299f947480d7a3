import type { Socket } from "node:net";
import { ServerError } from "../../../../../core/errors.ts";
import type { ResponseReceiver, UpstreamCall, UpstreamRequest } from "../transport.ts";
import { H1Call } from "./h1-call.ts";
import { H1ClientConnection, type H1ConnectionOwner, type H1Limits } from "./h1-client-connection.ts";
import { ResponseHeadReader } from "./response-head.ts";

/** Opens a connection. Calls back once, with a socket that is connected or why there is none. @returns gives it up */
export type Dial = (
  request: UpstreamRequest,
  done: (error: Error | undefined, socket: Socket | undefined) => void,
) => () => void;

/** How many connections a pool keeps. */
export interface H1PoolOptions {
  readonly limits: H1Limits;
  readonly dial: Dial;
  /** False: each request has a connection of its own. */
  readonly keepAlive: boolean;
  readonly idleTimeoutMs: number;
  readonly maxIdle: number;
  /** Connections at a time; 0 for any number. */
  readonly maxConnections: number;
}

/** Requests that wait for a connection; more are refused. */
const maxWaiting = 10_000;
const sweepMs = 5_000;
/**
 * How long more than `maxIdle` may lie idle. Answers come in bursts, and so do the next requests: closed at once, many of
 * these connections would be dialed again in the same turn.
 */
const trimMs = 1_000;

/** Connections to one upstream, kept alive between requests; the one used last is used first. */
export class H1Pool implements H1ConnectionOwner {
  readonly heads = new ResponseHeadReader();
  readonly #options: H1PoolOptions;
  readonly #idle: H1ClientConnection[] = [];
  /** Dialed or dialing. */
  #open = 0;
  #waiting: H1Call[] = [];
  #sweeper: NodeJS.Timeout | undefined;
  #trimmer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: H1PoolOptions) {
    this.#options = options;
  }

  get limits(): H1Limits {
    return this.#options.limits;
  }

  /** @throws ServerError HTTP_BAD_REQUEST */
  call(request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall {
    const call = new H1Call(request, receiver);
    this.#start(call);
    return call;
  }

  /** Closes what is idle now, and the rest when it is done. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#sweeper);
    clearTimeout(this.#trimmer);
    for (const connection of this.#idle.splice(0)) {
      connection.close();
    }
  }

  /** Carries a call on a connection that somebody else opened. */
  adopt(socket: Socket, call: H1Call): void {
    this.#open++;
    this.#runOn(socket, call);
  }

  connectionFree(connection: H1ClientConnection): void {
    const waiting = this.#nextWaiting();
    if (waiting !== undefined && waiting.request.upgrade !== "") {
      this.#waiting.unshift(waiting);
      connection.close();
      return;
    }
    if (waiting !== undefined) {
      connection.run(waiting);
      return;
    }
    const { keepAlive, maxIdle, idleTimeoutMs } = this.#options;
    if (!keepAlive || this.#closed || maxIdle === 0) {
      connection.close();
      return;
    }
    connection.idleUntil = performance.now() + idleTimeoutMs;
    this.#idle.push(connection);
    if (this.#idle.length > maxIdle) {
      this.#trimmer ??= setTimeout(() => this.#trim(), trimMs).unref();
    }
    this.#sweeper ??= setTimeout(() => this.#sweep(), Math.min(idleTimeoutMs, sweepMs)).unref();
  }

  connectionClosed(connection: H1ClientConnection): void {
    const at = this.#idle.lastIndexOf(connection);
    if (at !== -1) {
      this.#idle.splice(at, 1);
    }
    this.#open--;
    const waiting = this.#nextWaiting();
    if (waiting !== undefined) {
      this.#dial(waiting);
    }
  }

  #start(call: H1Call): void {
    // A connection that is to leave HTTP is a new one: it is read as a stream.
    const leaves = call.request.upgrade !== "";
    for (
      let connection = leaves ? undefined : this.#idle.pop();
      connection !== undefined;
      connection = this.#idle.pop()
    ) {
      if (connection.usable) {
        connection.run(call);
        return;
      }
      connection.close();
    }
    const { maxConnections } = this.#options;
    if (maxConnections > 0 && this.#open >= maxConnections) {
      if (this.#waiting.length >= maxWaiting) {
        const error = new ServerError(
          "PROXY_NO_UPSTREAM",
          `more than ${maxWaiting} requests wait for a connection`,
        );
        queueMicrotask(() => call.receiver.failed(error, "dial", false));
      } else {
        this.#waiting.push(call);
      }
      return;
    }
    this.#dial(call);
  }

  #dial(call: H1Call): void {
    this.#open++;
    this.#options.dial(call.request, (error, socket) => {
      if (socket === undefined) {
        this.#open--;
        if (!call.aborted) {
          call.receiver.failed(error ?? new Error("no connection"), "dial", false);
        }
        return;
      }
      this.#runOn(socket, call);
    });
  }

  #runOn(socket: Socket, call: H1Call): void {
    const connection = new H1ClientConnection(socket, this);
    if (call.aborted) {
      this.connectionFree(connection);
    } else {
      connection.run(call);
    }
  }

  #nextWaiting(): H1Call | undefined {
    for (let call = this.#waiting.shift(); call !== undefined; call = this.#waiting.shift()) {
      if (!call.aborted) {
        return call;
      }
    }
    return undefined;
  }

  /** Closes the oldest of what lies idle over `maxIdle`. */
  #trim(): void {
    this.#trimmer = undefined;
    for (const connection of this.#idle.splice(0, Math.max(0, this.#idle.length - this.#options.maxIdle))) {
      connection.close();
    }
  }

  /** Closes what lay idle for too long: the oldest are first. */
  #sweep(): void {
    this.#sweeper = undefined;
    const now = performance.now();
    const stale = this.#idle.findIndex((connection) => connection.idleUntil > now);
    for (const connection of this.#idle.splice(0, stale === -1 ? this.#idle.length : stale)) {
      connection.close();
    }
    if (this.#idle.length > 0) {
      this.#sweeper = setTimeout(() => this.#sweep(), sweepMs).unref();
    }
  }
}
